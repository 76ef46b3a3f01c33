import { execFileSync } from 'node:child_process'

/** A pixel of a file as pydicom has it: column and row from 0 of the first frame. */
export interface SampleValue {
  readonly column: number
  readonly row: number
  readonly stored: readonly number[]
  /** After rescale; null of a colour pixel. */
  readonly value: number | null
}

// pydicom reads the elements; where the pixels are compressed, DCMTK's decoders come first (JPEG
// 2000 it has none for). pixel_array itself needs numpy, which Debian does not bring along: the
// same numbers are read with struct.
const READER = `
import json, os, struct, subprocess, sys, tempfile, warnings, pydicom
warnings.simplefilter('ignore')
DECODERS = {'1.2.840.10008.1.2.4.50': 'dcmdjpeg', '1.2.840.10008.1.2.4.51': 'dcmdjpeg', '1.2.840.10008.1.2.4.57': 'dcmdjpeg',
    '1.2.840.10008.1.2.4.70': 'dcmdjpeg', '1.2.840.10008.1.2.4.80': 'dcmdjpls', '1.2.840.10008.1.2.4.81': 'dcmdjpls', '1.2.840.10008.1.2.5': 'dcmdrle'}
def values(path):
    ds = pydicom.dcmread(path)
    syntax = str(ds.file_meta.TransferSyntaxUID)
    if syntax in DECODERS:
        with tempfile.TemporaryDirectory() as folder:
            plain = os.path.join(folder, 'plain.dcm')
            subprocess.run([DECODERS[syntax], path, plain], check=True, stderr=subprocess.DEVNULL)
            ds = pydicom.dcmread(plain)
    elif ds.file_meta.TransferSyntaxUID.is_compressed and not ds.file_meta.TransferSyntaxUID.is_deflated:
        return None
    size = ds.BitsAllocated // 8
    kind = {1: 'B', 2: 'H', 4: 'I'}[size]
    form = ('<' if ds.is_little_endian else '>') + (kind.lower() if ds.PixelRepresentation else kind)
    # Values of a dose are in its unit (PS3.3 C.8.8.3).
    slope, intercept = float(ds.get('DoseGridScaling', ds.get('RescaleSlope', 1))), float(ds.get('RescaleIntercept', 0))
    pixels, samples, found = ds.PixelData, ds.SamplesPerPixel, []
    for x, y in ((0.5, 0.5), (0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.6, 0.9), (0.0, 0.0)):
        column, row = int(x * (ds.Columns - 1)), int(y * (ds.Rows - 1))
        at = row * ds.Columns + column
        if samples == 1: places = [at]
        elif ds.PlanarConfiguration == 0: places = [at * samples + n for n in range(samples)]
        else: places = [at + n * ds.Rows * ds.Columns for n in range(samples)]
        stored = [struct.unpack_from(form, pixels, place * size)[0] for place in places]
        found.append(dict(column=column, row=row, stored=stored, value=stored[0] * slope + intercept if samples == 1 else None))
    return found
print(json.dumps([values(path) for path in sys.argv[1:]]))
`

/** Values of some pixels of each file; null where nothing here can decode it. */
export const sampleValues = (paths: readonly string[]): (SampleValue[] | null)[] =>
  JSON.parse(
    execFileSync('/usr/bin/python3', ['-c', READER, ...paths], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
