import { type ExamDesk, openExamDesk } from '#server/modules/worklist/schedule-service.ts'
import { type Exam, ExplainAsk } from '#shared/contract/dashboard-exams.ts'
import type { Device, UnknownCaller } from '#shared/contract/devices.ts'
import type { PartnerFault } from '#shared/contract/worklist.ts'
import { type Bench, device, NOW, openBench, type Reaction } from './worklist-fixture.ts'

export const DAY = '2026-11-20'
export const ANNA = { userId: 'usr_1', name: 'Anna Admin' }

/** The worklist's bench with a desk on it, and CT1, which called today. */
export interface DeskBench extends AsyncDisposable {
  readonly bench: Bench
  readonly desk: ExamDesk
  devices: readonly Device[]
  callers: readonly UnknownCaller[]
  partnerFault: PartnerFault | null
  /** The exams of the day, of all devices. */
  exams(show?: 'all' | 'waiting' | 'withheld' | 'overdue'): Promise<Exam[]>
  explain(ask: Partial<ExplainAsk>, who?: Device): ReturnType<ExamDesk['explain']>
  /** Moves the day to its next hour: what was fresh is asked anew. */
  later(ms?: number): void
}

export const known = (changes: Partial<Device> = {}): Device =>
  device({ lastSeenAt: NOW, lastAddress: '127.0.0.1', ...changes })

export async function openDesk(first: Reaction = { items: [] }): Promise<DeskBench> {
  const bench = await openBench(first)
  const { store, clock } = bench.temp
  bench.device = known()
  const made: DeskBench = {
    bench,
    desk: openExamDesk({
      store,
      clock,
      setting: store.settings.get,
      devices: () => made.devices,
      callers: () => made.callers,
      performedSteps: bench.steps,
      worklist: bench.worklist,
      partner: () => ({ fault: made.partnerFault, since: made.partnerFault === null ? null : NOW }),
    }),
    devices: [known()],
    callers: [],
    partnerFault: null,
    exams: async (show = 'all') => (await made.desk.day({ day: DAY, show }, 100)).exams,
    explain: (ask, who = made.devices[0] ?? known()) =>
      made.desk.explain(ExplainAsk.parse({ deviceId: who.deviceId, day: DAY, ...ask }), who, ANNA),
    later: (ms = 60_000) => clock.pass(ms),
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  }
  return made
}
