export function Access() {
  return null
}
