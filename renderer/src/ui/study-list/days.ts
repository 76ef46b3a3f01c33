/** Whether a text is a day, `YYYY-MM-DD`, of the calendar. */
export function isDay(text: string | undefined): text is string {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? '')
  if (!match) return false
  const at = new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3])))
  return at.toISOString().slice(0, 10) === text
}

/** The day so many days before `YYYY-MM-DD`, by the calendar alone: no time zone is asked. */
export function dayBefore(day: string, days = 1): string {
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1, date - days)).toISOString().slice(0, 10)
}
