/** What a compressed frame says of itself before it is decoded. */
export interface CodestreamSize {
  readonly rows: number
  readonly columns: number
  readonly components: number
}

/** Marker segments that a JPEG or JPEG-LS file may have before its frame header. */
const MAX_SEGMENTS = 64

/**
 * Size by the frame header of JPEG (ITU-T T.81 B.2.2) and JPEG-LS (T.87 C.2.2), or by the SIZ
 * marker segment of JPEG 2000 (T.800 A.5.1); undefined where there is neither.
 */
export function codestreamSize(bytes: Uint8Array): CodestreamSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < 4 || bytes[0] !== 0xff) return undefined
  return bytes[1] === 0x4f ? sizeOfJpeg2000(view) : sizeOfJpeg(view)
}

function sizeOfJpeg2000(view: DataView): CodestreamSize | undefined {
  // SOC, SIZ, then Lsiz, Rsiz, Xsiz, Ysiz, XOsiz, YOsiz, four of tiles, Csiz.
  if (view.byteLength < 42 || view.getUint16(2) !== 0xff51) return undefined
  return {
    columns: view.getUint32(8) - view.getUint32(16),
    rows: view.getUint32(12) - view.getUint32(20),
    components: view.getUint16(40),
  }
}

function sizeOfJpeg(view: DataView): CodestreamSize | undefined {
  let at = 2
  for (let segment = 0; segment < MAX_SEGMENTS && at + 10 <= view.byteLength; segment += 1) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    // A marker may have fill bytes before it.
    if (marker === 0xff) at += 1
    else if (isFrameHeader(marker))
      return {
        rows: view.getUint16(at + 5),
        columns: view.getUint16(at + 7),
        components: view.getUint8(at + 9),
      }
    else at += 2 + view.getUint16(at + 2)
  }
  return undefined
}

/** SOF0 to SOF15 without DHT, JPG and DAC, which share their range, and SOF55. */
const isFrameHeader = (marker: number): boolean =>
  marker === 0xf7 ||
  (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc)
