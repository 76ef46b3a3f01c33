export function Readiness() {
  return null
}
