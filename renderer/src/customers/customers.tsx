export function Customers() {
  return null
}
