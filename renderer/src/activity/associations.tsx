export function Associations() {
  return null
}
