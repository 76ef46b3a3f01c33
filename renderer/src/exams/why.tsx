export function Why() {
  return null
}
