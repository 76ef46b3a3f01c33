export function Studies() {
  return null
}
