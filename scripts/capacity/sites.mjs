// Fifty invented sites: kinds of clinics, whose size is varied by the seed.
import { randomOf } from './model.mjs'

const hours = (from, to, shape) =>
  Array.from({ length: 24 }, (_, hour) => (hour >= from && hour < to ? shape(hour) : 0))
/** Shares of the day by hour. */
const CURVES = {
  office: hours(8, 18, (hour) => (hour === 12 || hour === 13 ? 0.6 : 1)),
  morning: hours(7, 15, (hour) => (hour < 10 ? 2 : 1)),
  aroundTheClock: hours(0, 24, (hour) => (hour >= 8 && hour < 20 ? 1 : 0.35)),
}
/** Studies of a working day, before they are varied by half in either direction. */
const KINDS = [
  { name: 'practice', curve: 'office', studies: { DX: 30, US: 20 }, diskGb: 500 },
  { name: 'breast centre', curve: 'office', studies: { MG: 60, US: 25, DX: 5 }, diskGb: 2000 },
  {
    name: 'imaging centre',
    curve: 'morning',
    studies: { CT: 40, MR: 35, DX: 40, US: 30 },
    diskGb: 4000,
  },
  {
    name: 'hospital',
    curve: 'aroundTheClock',
    studies: { CT: 90, MR: 40, DX: 180, US: 60, MG: 20 },
    diskGb: 8000,
  },
  {
    name: 'large hospital',
    curve: 'aroundTheClock',
    studies: { CT: 280, MR: 120, DX: 500, US: 150, MG: 60 },
    diskGb: 16_000,
  },
]

export function fiftySites(seed = 1) {
  const random = randomOf(seed)
  return Array.from({ length: 50 }, (_, number) => {
    const kind = KINDS[number % KINDS.length]
    const size = 0.5 + random()
    return {
      ...kind,
      number: number + 1,
      curve: CURVES[kind.curve],
      studies: Object.fromEntries(
        Object.entries(kind.studies).map(([modality, count]) => [
          modality,
          Math.round(count * size),
        ]),
      ),
      forwards: random() < 0.8,
      lineMbits: [100, 200, 1000][Math.floor(random() * 3)],
      keepDays: 365,
      isAroundTheClock: kind.curve === 'aroundTheClock',
    }
  })
}
