import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'

export interface FrameInfo {
  readonly width: number
  readonly height: number
  readonly bitsPerSample: number
  readonly componentCount: number
  readonly isSigned?: boolean
}

/** What the decoders of Cornerstone's codecs have in common; memory is that of WebAssembly. */
interface WasmDecoder {
  getEncodedBuffer(length: number): Uint8Array
  decode(): void
  getDecodedBuffer(): Uint8Array
  getFrameInfo(): FrameInfo
  /** JPEG-LS: 0 where the samples come plane by plane. */
  getInterleaveMode?(): number
  delete(): void
}

export type WasmClass =
  | 'JPEGDecoder'
  | 'JpegLSDecoder'
  | 'J2KDecoder'
  | 'HTJ2KDecoder'
  | 'JpegXLDecoder'
export type WasmModule = { readonly [K in WasmClass]: new () => WasmDecoder }
interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>
}
interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}
/** The types of Node do not have it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object, imports: object) => WasmInstance
  readonly Memory: new (...limits: never) => WasmMemory
}
type WasmFactory = (options: {
  readonly instantiateWasm: (
    imports: object,
    receive: (instance: WasmInstance) => void,
  ) => WasmInstance['exports']
  /** What a decoder says of damaged data: nobody reads it. */
  readonly print: () => void
  readonly printErr: () => void
}) => Promise<WasmModule>

/**
 * Opens a codec that was compiled by Emscripten.
 * @param script file of a module that is given its WebAssembly
 * @param maxBytes that its memory may have; what it then cannot have, fails in its decoder
 */
export async function openCodec(
  script: string,
  wasm: string,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<WasmModule> {
  const { default: open }: { readonly default: WasmFactory } = await import(
    pathToFileURL(script).href
  )
  return open({
    instantiateWasm(imports, receive) {
      const compiled = new WebAssembly.Module(readFileSync(wasm))
      const instance = new WebAssembly.Instance(compiled, imports)
      limitMemory(instance, maxBytes)
      receive(instance)
      return instance.exports
    },
    print: () => {},
    printErr: () => {},
  })
}

/** Emscripten takes more memory by this method of the instance's memory. */
function limitMemory({ exports }: WasmInstance, maxBytes: number): void {
  for (const memory of Object.values(exports)) {
    if (!(memory instanceof WebAssembly.Memory)) continue
    const grow = memory.grow.bind(memory)
    memory.grow = (pages) => {
      if (memory.buffer.byteLength + pages * PAGE_BYTES > maxBytes)
        throw new RangeError('The decoder takes too much memory.')
      return grow(pages)
    }
  }
}
/** WebAssembly Core Specification, 4.2.8. */
const PAGE_BYTES = 65_536
