import type { ExamExplanation, ExplainAsk } from '#shared/contract/dashboard-exams.ts'
import type { Device } from '#shared/contract/devices.ts'
import { WorklistAsk } from '#shared/contract/worklist.ts'
import { type ExplainDeps, openExplain } from './explain.ts'
import { type Exams, type ExamsDeps, openExams } from './schedule.ts'
import type { AskingUser, Worklist } from './worklist.ts'

export interface ExamDeskDeps
  extends Omit<ExamsDeps, 'keptList'>,
    Omit<ExplainDeps, 'exams' | 'worklist'> {
  readonly store: ExamsDeps['store'] & ExplainDeps['store']
  readonly worklist: Pick<Worklist, 'ask' | 'askWith' | 'inspection' | 'keptList'>
}

export interface ExamDesk extends Exams {
  /**
   * Asks the partner for the day as each of the devices would; every query is recorded with the
   * user.
   */
  refresh(
    day: string,
    devices: readonly Device[],
    user: AskingUser,
  ): Promise<{ readonly asked: number; readonly failed: number; readonly sentences: string[] }>
  explain(ask: ExplainAsk, device: Device, user: AskingUser): Promise<ExamExplanation>
}

/** Devices that are asked as at a time: a partner is not to be flooded. */
const AT_ONCE = 4

/** What the window needs of the exams of a day. */
export function openExamDesk(deps: ExamDeskDeps): ExamDesk {
  const { worklist } = deps
  const exams = openExams({ ...deps, keptList: worklist.keptList })
  const explain = openExplain({ ...deps, exams })
  return {
    ...exams,
    async refresh(day, devices, user) {
      const sentences = new Set<string>()
      let failed = 0
      for (let first = 0; first < devices.length; first += AT_ONCE) {
        const some = devices.slice(first, first + AT_ONCE)
        await Promise.all(
          some.map(async (device) => {
            const ask = WorklistAsk.parse({
              deviceId: device.deviceId,
              startDate: day,
              endDate: day,
            })
            const { source, fault, sentence } = await worklist.ask(ask, device, user)
            if (source !== 'none' && (fault === null || fault === 'invalid')) return
            failed++
            sentences.add(sentence)
          }),
        )
      }
      return { asked: devices.length, failed, sentences: [...sentences] }
    },
    explain,
  }
}
