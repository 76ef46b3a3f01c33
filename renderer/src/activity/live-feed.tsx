export function LiveFeed() {
  return null
}
