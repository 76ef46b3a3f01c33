import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  findPerformedStep,
  listPerformedSteps,
  type PerformedStatus,
} from '#server/modules/procedure-steps/performed-step-queries.ts'
import { RUNS_TIMEOUT_MS, runs } from '../../../../support/property-runs.ts'
import { normalized, openStage, type Values } from './intake-fixture.ts'

// PS3.4 F.7: a performed step is created IN PROGRESS, changed while it is, and ends COMPLETED or
// DISCONTINUED for good. Two devices speak of three steps of one study in any order, some requests
// at once, through restarts.

const FINAL: readonly string[] = ['COMPLETED', 'DISCONTINUED']
const STEPS = ['S1', 'S2'] as const

const requestArbitrary = fc.record({
  do: fc.constantFrom('create' as const, 'set' as const, 'set' as const),
  step: fc.nat({ max: 2 }),
  status: fc.constantFrom(
    'IN PROGRESS',
    'IN PROGRESS',
    'COMPLETED',
    'DISCONTINUED',
    'PAUSED',
    undefined,
  ),
  images: fc.option(fc.nat({ max: 3 }), { nil: undefined }),
  scheduled: fc.constantFrom(...STEPS),
})
type Request = typeof requestArbitrary extends fc.Arbitrary<infer T> ? T : never
const turnArbitrary = fc.oneof(
  { weight: 6, arbitrary: fc.array(requestArbitrary, { minLength: 1, maxLength: 3 }) },
  { weight: 1, arbitrary: fc.constant('restart' as const) },
  { weight: 1, arbitrary: fc.constant('pass' as const) },
)

/** A step as the standard has it. */
interface Model {
  status: PerformedStatus
  images: number
  scheduled: string
  changedAt: number
}

/** The answer, after the model has moved. */
function answered(
  models: (Model | undefined)[],
  { do: what, step, status, images, scheduled }: Request,
  now: number,
): number {
  const model = models[step]
  if (what === 'create') {
    // F.7.2.1: it is created in progress, and once.
    if (status !== 'IN PROGRESS') return 0x0106
    if (model) return 0x0111
    models[step] = { status, images: images ?? 0, scheduled, changedAt: now }
    return 0
  }
  if (!model) return 0x0112
  // F.7.2.2: "may no longer be updated".
  if (FINAL.includes(model.status)) return 0x0110
  const next = status ?? model.status
  if (next === 'PAUSED') return 0x0106
  const named = images ?? model.images
  // Table F.7.2-1: what is completed names its series; none of them is empty here.
  if (next === 'COMPLETED' && named === 0) return 0x0121
  models[step] = { ...model, status: next as PerformedStatus, images: named, changedAt: now }
  return 0
}

describe('performed steps', () => {
  it(
    'move as PS3.4 F.7 says, never out of a final state, and are answered for only when they are kept',
    async () => {
      await using stage = await openStage()
      let exams = 0
      await fc.assert(
        fc.asyncProperty(
          fc.array(turnArbitrary, { minLength: 1, maxLength: 14 }),
          async (turns) => {
            const study = `1.2.40.${++exams}`
            const uidOf = (step: number) => `${study}.5.${step}`
            const models: (Model | undefined)[] = [undefined, undefined, undefined]
            let order: number[] = []
            const ended = new Map<number, string>()

            const send = ({ do: what, step, status, images, scheduled }: Request) => {
              const values: Values = {
                ...(status !== undefined && { PerformedProcedureStepStatus: status }),
                ...(what === 'create' && {
                  Modality: 'CT',
                  ScheduledStepAttributesSequence: [
                    { StudyInstanceUID: study, ScheduledProcedureStepID: scheduled },
                  ],
                }),
                ...(images !== undefined && {
                  PerformedSeriesSequence:
                    images === 0
                      ? []
                      : [
                          {
                            SeriesInstanceUID: `${study}.1`,
                            ReferencedImageSequence: Array.from({ length: images }, (_, at) => ({
                              ReferencedSOPInstanceUID: `${study}.1.${at}`,
                            })),
                          },
                        ],
                }),
              }
              const request = normalized(values, { sopInstanceUid: uidOf(step) })
              return what === 'create'
                ? stage.intake.steps.create(request)
                : stage.intake.steps.set(request)
            }
            const kept = (step: number) => findPerformedStep(stage.store.database, uidOf(step))

            for (const turn of turns) {
              if (turn === 'restart') await stage.reopen()
              else if (turn === 'pass') await stage.pass(61_000)
              else {
                const now = stage.clock()
                const expected = turn.map((request) => answered(models, request, now))
                // At once: those of one step are taken in the order they came.
                const given = await Promise.all(turn.map(send))
                expect(given.map(({ status }) => status)).toEqual(expected)
                for (const { status, errorId } of given)
                  expect(status === 0x0110 ? errorId : undefined).toBe(
                    status === 0x0110 ? 0xa710 : undefined,
                  )
                // Those that begin at once may begin in any order, which then stays.
                const begun = listPerformedSteps(stage.store.database, study).map(
                  ({ sopInstanceUid }) =>
                    [0, 1, 2].findIndex((step) => uidOf(step) === sopInstanceUid),
                )
                expect(begun.slice(0, order.length)).toEqual(order)
                order = begun
              }
              for (const step of [0, 1, 2]) {
                const [model, row] = [models[step], kept(step)]
                expect(
                  row && {
                    status: row.status,
                    images: row.instances,
                    isEnded: row.endedAt !== null,
                  },
                ).toEqual(
                  model && {
                    status: model.status,
                    images: model.images,
                    isEnded: model.status !== 'IN PROGRESS',
                  },
                )
                // What has ended stays, to the last byte.
                const then = ended.get(step)
                if (then !== undefined) expect(JSON.stringify(row)).toBe(then)
                else if (model && FINAL.includes(model.status)) ended.set(step, JSON.stringify(row))
              }
              for (const scheduled of STEPS) {
                // The last that was begun for the scheduled step speaks for it; one that was
                // discontinued leaves it to be done again.
                const last = order.filter((step) => models[step]?.scheduled === scheduled).at(-1)
                const status = last === undefined ? undefined : models[last]?.status
                expect(stage.performedSteps.stateOf(study, scheduled)).toBe(
                  status === 'IN PROGRESS'
                    ? 'started'
                    : status === 'COMPLETED'
                      ? 'completed'
                      : undefined,
                )
              }
            }
            expect(stage.errors).toEqual([])
          },
        ),
        runs(60),
      )
    },
    RUNS_TIMEOUT_MS,
  )
})
