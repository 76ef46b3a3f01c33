import { upsertUnknownCaller } from '#server/modules/devices/unknown-caller-queries.ts'
import type { PartnerState } from '#server/modules/partners/state.ts'
import { DeviceLists } from '#server/modules/worklist/device-lists.ts'
import { explainExam } from '#server/modules/worklist/explain.ts'
import { Schedule } from '#server/modules/worklist/schedule.ts'
import {
  type Exam,
  type ExamExplanation,
  ExplanationRequest,
} from '#shared/contract/dashboard-exams.ts'
import type { Device, UnknownCaller } from '#shared/contract/devices.ts'
import type { PartnerFault } from '#shared/contract/worklist.ts'
import { type Bench, device, NOW, openBench, type Reaction } from './worklist-fixture.ts'

export const DAY = '2026-11-20'
export const ANNA = { userId: 'usr_1', firstName: 'Anna', lastName: 'Admin' }

/** The worklist's bench with a schedule on it, and CT1, which called today. */
export interface ScheduleBench extends AsyncDisposable {
  readonly bench: Bench
  readonly schedule: Schedule
  devices: readonly Device[]
  partnerFault: PartnerFault | null
  called(...callers: readonly UnknownCaller[]): void
  /** The exams of the day, of all devices. */
  exams(show?: 'all' | 'waiting' | 'withheld' | 'overdue'): Promise<Exam[]>
  explain(ask: Partial<ExplanationRequest>): Promise<ExamExplanation>
  /** Moves the day to its next hour: what was fresh is asked anew. */
  later(ms?: number): void
}

export const known = (changes: Partial<Device> = {}): Device =>
  device({ lastSeenAt: NOW, lastAddress: '127.0.0.1', ...changes })

export async function openSchedule(first: Reaction = { items: [] }): Promise<ScheduleBench> {
  const bench = await openBench(first)
  const { store, clock } = bench.temp
  let devices: readonly Device[] = [known()]
  let fault: PartnerFault | null = null
  bench.setDevices(devices)
  const partnerState = {
    status: () => ({ state: 'unknown', fault, downSince: fault === null ? null : NOW }),
  } as unknown as PartnerState
  const lists = new DeviceLists(store, bench.worklist.answers)
  const schedule = new Schedule(store, lists, bench.steps, partnerState)
  return {
    bench,
    schedule,
    get devices() {
      return devices
    },
    set devices(next) {
      devices = next
      bench.setDevices(next)
    },
    get partnerFault() {
      return fault
    },
    set partnerFault(next) {
      fault = next
    },
    called(...callers) {
      for (const { lastAt: at, ...caller } of callers)
        upsertUnknownCaller(store.database, { ...caller, at })
    },
    exams: async (show = 'all') => (await schedule.day({ day: DAY, show }, 100)).exams,
    explain(given) {
      const who = devices[0] ?? known()
      const ask = ExplanationRequest.parse({ deviceId: who.deviceId, day: DAY, ...given })
      return explainExam(store, bench.worklist, schedule, ask, who, ANNA)
    },
    later: (ms = 60_000) => clock.pass(ms),
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  }
}
