export function Setup() {
  return null
}
