const HOUR_MINUTES = 60
const DAY_MINUTES = 24 * 60

/**
 * Whether the hour that begins at `at` (HH:MM of the clinic's day) has come. @param now ms since
 * the epoch
 */
export function isMaintenance(
  { at, timeZone }: { readonly at: string; readonly timeZone: string },
  now: number,
): boolean {
  const since = (minutesOf(clockIn(timeZone, now)) - minutesOf(at) + DAY_MINUTES) % DAY_MINUTES
  return since < HOUR_MINUTES
}

const clockIn = (timeZone: string, now: number): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(now)

function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * 60 + minutes
}
