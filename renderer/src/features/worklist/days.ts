/** The day so many days later, by the calendar alone. `YYYY-MM-DD`. */
export function addDays(day: string, count: number): string {
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1, date + count)).toISOString().slice(0, 10)
}
