import type { InstanceExtras } from '../contract/viewed-images.ts'

export type LookUpTable = InstanceExtras['voiLuts'][number]

// Available in browsers and Node; the types of this folder include neither.
declare const atob: (base64: string) => string

/** Decodes base64. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let n = 0; n < text.length; n += 1) bytes[n] = text.charCodeAt(n)
  return bytes
}

/** Entries of a look-up table. */
export function numbersOf({ data }: LookUpTable): Uint16Array {
  const bytes = bytesOf(data)
  return new Uint16Array(bytes.buffer, 0, bytes.length >> 1)
}
