export function StudyScreen() {
  return null
}
