/** Chromaticities of the sRGB primaries, adapted to D50, as XYZ (IEC 61966-2-1, ICC.1 Annex E). */
const SRGB_PRIMARIES: Readonly<Record<string, readonly [number, number, number]>> = {
  rXYZ: [0.436, 0.2225, 0.0139],
  gXYZ: [0.3851, 0.7169, 0.0971],
  bXYZ: [0.1431, 0.0606, 0.7139],
}
/** Profiles of sRGB round and adapt their primaries in several ways. */
const PRIMARY_TOLERANCE = 0.003
/** A level of 8 bits. A plain gamma of 2.2 differs by more in dark colours. */
const CURVE_TOLERANCE = 1 / 255
const CURVE_TAGS = ['rTRC', 'gTRC', 'bTRC']
const HEADER_BYTES = 128
/** PS3.3 does not limit them; profiles have about 20. */
const MAX_TAGS = 200

/**
 * Whether an ICC profile (ICC.1, ISO 15076-1) describes sRGB: RGB by primaries and curves that
 * hardly differ from those of IEC 61966-2-1. A profile that cannot be read does not.
 */
export function isSrgbProfile(profile: Buffer): boolean {
  if (profile.length < HEADER_BYTES + 4) return false
  if (profile.toString('latin1', 16, 24) !== 'RGB XYZ ') return false
  const tags = tagsOf(profile)
  // Tables take precedence over primaries and curves (ICC.1, 8.3.3).
  if (tags.has('A2B0') || tags.has('A2B1')) return false
  const hasPrimaries = Object.entries(SRGB_PRIMARIES).every(([name, expected]) => {
    const found = tags.get(name)
    return found && expected.every((part, axis) => isNear(xyzAt(found, axis), part))
  })
  return (
    hasPrimaries &&
    CURVE_TAGS.every((name) => {
      const curve = tags.get(name)
      return curve !== undefined && isSrgbCurve(curve)
    })
  )
}

const isNear = (found: number | undefined, expected: number): boolean =>
  found !== undefined && Math.abs(found - expected) <= PRIMARY_TOLERANCE

function tagsOf(profile: Buffer): ReadonlyMap<string, Buffer> {
  const tags = new Map<string, Buffer>()
  const count = Math.min(MAX_TAGS, profile.readUInt32BE(HEADER_BYTES))
  for (let index = 0; index < count; index++) {
    const at = HEADER_BYTES + 4 + index * 12
    if (at + 12 > profile.length) break
    const [from, length] = [profile.readUInt32BE(at + 4), profile.readUInt32BE(at + 8)]
    if (from + length <= profile.length)
      tags.set(profile.toString('latin1', at, at + 4), profile.subarray(from, from + length))
  }
  return tags
}

const fixedAt = (bytes: Buffer, at: number): number | undefined =>
  at + 4 <= bytes.length ? bytes.readInt32BE(at) / 65_536 : undefined

const xyzAt = (tag: Buffer, axis: number): number | undefined => fixedAt(tag, 8 + axis * 4)

/** A curve as a table or a gamma, or as a function with parameters (ICC.1, 10.6 and 10.18). */
function isSrgbCurve(tag: Buffer): boolean {
  const curve = curveOf(tag)
  if (!curve) return false
  for (let level = 0; level <= 255; level++) {
    const shown = curve(level / 255)
    // Compared as levels of the screen: a difference of dark colours counts as much as one of
    // bright ones.
    if (!(Math.abs(encodeSrgb(shown) - level / 255) <= CURVE_TOLERANCE)) return false
  }
  return true
}

/** The transfer function of sRGB, from linear light. */
const encodeSrgb = (linear: number): number =>
  linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055

function curveOf(tag: Buffer): ((level: number) => number) | undefined {
  if (tag.length < 12) return undefined
  const type = tag.toString('latin1', 0, 4)
  if (type === 'para') return parametricCurve(tag)
  if (type !== 'curv') return undefined
  const count = tag.readUInt32BE(8)
  if (count < 2 || tag.length < 12 + count * 2) return undefined
  return (level) => {
    const at = level * (count - 1)
    const [before, after] = [Math.floor(at), Math.ceil(at)]
    const value = (entry: number) => tag.readUInt16BE(12 + entry * 2) / 65_535
    return value(before) + (value(after) - value(before)) * (at - before)
  }
}

/** Y = (aX + b)^g from d on, else cX: the form in which sRGB is given. */
function parametricCurve(tag: Buffer): ((level: number) => number) | undefined {
  if (tag.readUInt16BE(8) !== 3) return undefined
  const [g, a, b, c, d] = [0, 1, 2, 3, 4].map((index) => fixedAt(tag, 12 + index * 4))
  if (g === undefined || a === undefined || b === undefined || c === undefined || d === undefined)
    return undefined
  return (level) => (level >= d ? (a * level + b) ** g : c * level)
}
