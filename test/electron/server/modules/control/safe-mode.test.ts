import { expect, it } from 'vitest'
import { openOutboxWorker } from '#server/jobs/outbox-worker.ts'
import { atRest } from '#server/modules/control/safe-mode.ts'
import { openParts } from '#server/parts.ts'
import { instantOf } from '#server/platform/clock.ts'
import { tempFolder } from '../../../../support/temp-store.ts'

it('lets nothing that waits be due, and loses none of it', async () => {
  using temp = tempFolder()
  using parts = openParts(temp.folder)
  const { store, deps } = atRest(parts)
  const at = instantOf(deps.clock())
  const append = (subject: string) =>
    store.outbox.append({ kind: 'report.delivered', subject, payload: {}, at })
  const delivered: string[] = []
  append('rep_before')
  await using worker = openOutboxWorker({
    ...{ store, kind: 'report.delivered', clock: deps.clock },
    deliver({ subject }) {
      delivered.push(subject)
      return Promise.resolve({ outcome: 'sent' })
    },
  })
  append('rep_meanwhile')
  worker.retry()
  await worker.settled()
  expect(delivered).toEqual([])
  expect(deps.store).toBe(store)
  expect(
    parts.store.outbox
      .waiting('report.delivered')
      .map(({ subject, attempts }) => ({ subject, attempts })),
  ).toEqual([
    { subject: 'rep_before', attempts: 0 },
    { subject: 'rep_meanwhile', attempts: 0 },
  ])
  expect(parts.store.outbox.due('report.delivered', at, 10)).toHaveLength(2)
})

it('has nothing due of any queue', () => {
  using temp = tempFolder()
  using parts = openParts(temp.folder)
  const { store } = atRest(parts)
  const never = [
    ...[
      store.commitments.due('9', 1),
      store.imageStudies.receiving(),
      store.imageStudies.enrichmentDue('9'),
    ],
  ]
  expect(never).toEqual([[], [], []])
  expect([
    store.outbox.nextDue('k'),
    store.commitments.nextDue(),
    store.imageStudies.nextEnrichment(),
  ]).toEqual(Array(3).fill(undefined))
})
