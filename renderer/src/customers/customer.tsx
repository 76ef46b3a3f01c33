export function Customer() {
  return null
}
