const DISCRETE = 0
const LINEAR = 1
const INDIRECT = 2
/** An indirect segment must not refer to another one (PS3.3 C.7.9.2.3). */
const MAX_DEPTH = 1

/**
 * Expands a segmented palette (PS3.3 C.7.9.2) into little-endian 16-bit entries, at most `entries`.
 * `bits`: 8 if segments are bytes, otherwise they are words.
 */
export function paletteTable(segments: Buffer, bits: number, entries: number): Buffer {
  const width = bits > 8 ? 2 : 1
  const count = Math.floor(segments.length / width)
  const at = (index: number): number =>
    width === 2 ? segments.readUInt16LE(index * 2) : (segments[index] ?? 0)
  const values: number[] = []

  /** Expands up to `most` segments; returns the position reached. */
  function expand(from: number, most: number, depth: number): void {
    let position = from
    for (
      let segment = 0;
      segment < most && position + 2 < count && values.length < entries;
      segment++
    ) {
      const kind = at(position)
      const length = at(position + 1)
      position += 2
      if (kind === DISCRETE) {
        for (let index = 0; index < length && position < count; index++) values.push(at(position++))
      } else if (kind === LINEAR) {
        const last = values.at(-1) ?? 0
        const end = at(position++)
        for (let index = 1; index <= length; index++)
          values.push(Math.round(last + ((end - last) * index) / length))
      } else if (kind === INDIRECT && depth < MAX_DEPTH) {
        const low = at(position++)
        const high = position < count ? at(position++) : 0
        // The offset is in bytes, split into two parts of the segment width.
        const offset =
          width === 2
            ? low + high * 65_536
            : low + high * 256 + at(position++) * 65_536 + at(position++) * 16_777_216
        expand(Math.floor(offset / width), length, depth + 1)
      } else return
    }
  }

  expand(0, Number.POSITIVE_INFINITY, 0)
  const table = Buffer.alloc(Math.min(values.length, entries) * 2)
  for (let index = 0; index < table.length / 2; index++)
    table.writeUInt16LE(values[index] ?? 0, index * 2)
  return table
}
