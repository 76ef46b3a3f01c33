export function Exams() {
  return null
}
