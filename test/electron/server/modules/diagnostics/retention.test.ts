import { describe, expect, it } from 'vitest'
import { storeAnswer } from '#server/http/idempotency-queries.ts'
import { addOutboxJob, findOutboxJob, settleOutboxJob } from '#server/jobs/outbox-queries.ts'
import { putAssociation, readAssociation } from '#server/modules/devices/association-queries.ts'
import { purgeExpired } from '#server/modules/diagnostics/retention.ts'
import { EventLog } from '#server/modules/events/log.ts'
import { annotationRevision, putAnnotations } from '#server/modules/images/annotation-queries.ts'
import {
  announceInstances,
  countExpected,
} from '#server/modules/images/announced-instance-queries.ts'
import {
  findCommitment,
  insertCommitment,
  settleCommitment,
} from '#server/modules/images/commitment-queries.ts'
import { findCurrentInstance } from '#server/modules/images/instance-queries.ts'
import {
  insertClosedStep,
  listClosedSteps,
} from '#server/modules/procedure-steps/closed-step-queries.ts'
import {
  findPerformedStep,
  insertPerformedStep,
} from '#server/modules/procedure-steps/performed-step-queries.ts'
import { findImageStudy } from '#server/modules/studies/image-study-queries.ts'
import { findSession, insertSession } from '#server/modules/users/session-queries.ts'
import {
  findSignInLink,
  insertSignInLink,
  putSignInAttempts,
  signInAttempts,
} from '#server/modules/users/sign-in-queries.ts'
import { findWorkstation, putWorkstation } from '#server/modules/users/workstation-queries.ts'
import { findView, insertLink, insertView, noteViewUse } from '#server/modules/viewer/queries.ts'
import { insertInspection, listInspections } from '#server/modules/worklist/inspection-queries.ts'
import { putAnswer, readDocument, storeDocument } from '#server/modules/worklist/queries.ts'
import { instantOf } from '#server/platform/clock.ts'
import { newKey, newUser } from '../../../../support/callers.ts'
import { attempt, newEvent } from '../../../../support/events.ts'
import { seedImages } from '../../../../support/images.ts'
import { inspectionRecord } from '../../../../support/inspection-record.ts'
import { performedStep } from '../../../../support/performed-step.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { ephemeralView, viewRecord } from '../../../../support/view-record.ts'

const HOUR = 60 * 60_000

describe('what is past its time', () => {
  it('is forgotten, with the bodies nothing refers to any more', async () => {
    using temp = tempStore()
    const { store, clock } = temp
    const start = clock()
    store.settings.set('inspector.retentionHours', 2)
    const [old, kept] = [
      storeDocument(store, Buffer.from('old')),
      storeDocument(store, Buffer.from('kept')),
    ]
    store.database.transaction(() => {
      for (let i = 0; i < 600; i++)
        insertInspection(store.database, { ...inspectionRecord(instantOf(start)), answerHash: old })
      insertInspection(store.database, {
        ...inspectionRecord(instantOf(start + 1)),
        answerHash: kept,
      })
    })
    const question = {
      callingAe: 'CT1',
      dateStart: '2026-03-10',
      dateEnd: '2026-03-10',
      modality: null,
    }
    putAnswer(store.database, {
      ...question,
      documentHash: old,
      receivedAt: instantOf(start),
      items: 1,
    })

    clock.pass(2 * HOUR + 1)
    expect(await purgeExpired(temp.store)).toEqual({
      inspections: 600,
      answers: 0,
      documents: 0,
    })
    expect(listInspections(store.database, { limit: 10, outcome: 'all' }).items).toHaveLength(1)
    clock.pass(22 * HOUR)
    expect(await purgeExpired(temp.store)).toEqual({
      inspections: 1,
      answers: 1,
      documents: 2,
    })
    expect(readDocument(store, old)).toBeUndefined()
  })

  it('is a closed step after a week, and a link to sign in with after its quarter of an hour', async () => {
    using temp = tempStore()
    const { store, clock } = temp
    const at = instantOf(clock())
    insertClosedStep(store.database, {
      studyInstanceUid: '1.2.3',
      scheduledProcedureStepId: 'S1',
      closedAt: at,
      reason: '',
    })
    const link = {
      tokenHash: 'a'.repeat(64),
      kind: 'setup' as const,
      userId: null,
      createdAt: at,
      usedAt: null,
    }
    insertSignInLink(store.database, { ...link, expiresAt: instantOf(clock() + HOUR) })
    clock.pass(HOUR)
    await purgeExpired(temp.store)
    expect([
      listClosedSteps(store.database).length,
      findSignInLink(store.database, link.tokenHash, at),
    ]).toEqual([1, undefined])
    clock.pass(7 * 24 * HOUR)
    await purgeExpired(temp.store)
    expect(listClosedSteps(store.database)).toEqual([])
  })

  it('is a session that ended, and failed sign-ins after a day', async () => {
    using temp = tempStore()
    const { store, clock } = temp
    const at = instantOf(clock())
    const tokenHash = 'a'.repeat(64)
    const expiresAt = instantOf(clock() + HOUR)
    const lock = {
      ...{ workstationId: null, lockedAt: null, wrongPasswords: 0, confirmedAt: null },
      sealedIdToken: null,
    }
    const session = {
      tokenHash,
      sessionId: 'a',
      userId: newUser(store).userId,
      browser: '',
      address: '',
    }
    insertSession(store.database, { ...session, ...lock, createdAt: at, lastUsedAt: at, expiresAt })
    putSignInAttempts(store.database, {
      accountHash: tokenHash,
      failures: 1,
      lastAt: at,
      blockedUntil: null,
    })
    const kept = () =>
      [findSession(store.database, tokenHash), signInAttempts(store.database, tokenHash)].map(
        Boolean,
      )
    clock.pass(HOUR - 1)
    await purgeExpired(temp.store)
    expect(kept()).toEqual([true, true])
    clock.pass(1)
    await purgeExpired(temp.store)
    expect(kept()).toEqual([false, true])
    clock.pass(23 * HOUR + 1)
    await purgeExpired(temp.store)
    expect(kept()).toEqual([false, false])
  })

  it('is a PC that nobody approved within the hour, and an approval after a year', async () => {
    using temp = tempStore()
    const { store, clock } = temp
    const at = instantOf(clock())
    const none = { refusedAt: null, approvedAt: null, approvedByUserId: null, lastSeenAt: null }
    const pc = {
      name: 'PC',
      code: 'ABC DEF',
      address: '10.0.0.7',
      browser: '',
      askedAt: at,
      ...none,
    }
    putWorkstation(store.database, { ...pc, workstationId: 'asking', tokenHash: 'a'.repeat(64) })
    putWorkstation(store.database, {
      ...pc,
      workstationId: 'approved',
      tokenHash: 'b'.repeat(64),
      approvedAt: at,
    })
    const kept = () => ['asking', 'approved'].filter((id) => findWorkstation(store.database, id))
    clock.pass(HOUR - 1)
    await purgeExpired(temp.store)
    expect(kept()).toEqual(['asking', 'approved'])
    clock.pass(1)
    await purgeExpired(temp.store)
    expect(kept()).toEqual(['approved'])
    clock.pass(364 * 24 * HOUR)
    await purgeExpired(temp.store)
    expect(kept()).toEqual(['approved'])
    clock.pass(24 * HOUR)
    await purgeExpired(temp.store)
    expect(kept()).toEqual([])
  })

  it('is a connection of a device after the days of the settings, and never one that is open', async () => {
    using temp = tempStore()
    const { store, clock } = temp
    store.settings.set('activity.retentionDays', 3)
    const at = instantOf(clock())
    const counts = {
      echoes: 1,
      queries: 0,
      exams: 0,
      instances: 0,
      bytes: 0,
      steps: 0,
      commitments: 0,
      failures: 0,
    }
    const peer = {
      deviceId: null,
      deviceName: '',
      aeTitle: 'CT1',
      calledAeTitle: 'ISTHMUS',
      address: '10.0.3.7',
      tls: '',
    }
    const row = {
      ...peer,
      counts,
      openedAt: at,
      detail: null,
      tone: 'plain' as const,
      times: 1,
      omitted: 0,
    }
    putAssociation(store.database, { ...row, associationId: 'ended', endedAt: at, how: 'released' })
    putAssociation(store.database, { ...row, associationId: 'open', endedAt: null, how: 'open' })
    const kept = () => ['ended', 'open'].filter((id) => readAssociation(store.database, id))
    clock.pass(3 * 24 * HOUR)
    await purgeExpired(temp.store)
    expect(kept()).toEqual(['ended', 'open'])
    clock.pass(1)
    await purgeExpired(temp.store)
    expect(kept()).toEqual(['open'])
  })

  it('is a mail 31 days after it was sent, and never one that waits', async () => {
    using temp = tempStore()
    const { store, clock } = temp
    const mail = { kind: 'invitation.mail', payload: {}, at: instantOf(clock()) }
    const sent = addOutboxJob(store.database, { ...mail, subject: 'inv_1' })
    const waiting = addOutboxJob(store.database, { ...mail, subject: 'inv_2' })
    settleOutboxJob(store.database, sent, 'sent', mail.at)
    const kept = () => [sent, waiting].map((id) => findOutboxJob(store.database, id) !== undefined)
    clock.pass(31 * 24 * HOUR)
    await purgeExpired(temp.store)
    expect(kept()).toEqual([true, true])
    clock.pass(1)
    await purgeExpired(temp.store)
    expect(kept()).toEqual([false, true])
  })

  it('is an answer kept for a key of yesterday, and a link to the viewer a week after it expired, so that it says so until then', async () => {
    using temp = tempStore()
    const { store, clock } = temp
    const { apiKeyId } = newKey(store)
    const of = {
      kind: 'ephemeral',
      area: 'viewer',
      studyId: null,
      userId: null,
      createdByApiKeyId: apiKeyId,
      createdByUserId: null,
    } as const
    const link = {
      tokenHash: 'a'.repeat(64),
      ...of,
      ephemeral: { retrievalId: 'h' },
      createdAt: instantOf(clock()),
      usedAt: null,
      revokedAt: null,
    }
    insertLink(store.database, { ...link, expiresAt: instantOf(clock() + 30_000) })
    storeAnswer(
      store,
      { caller: 'c', call: 'POST /', key: 'k' },
      { status: 200, body: '{}', bodyHash: 'b'.repeat(64) },
    )
    const rows = () => {
      const { database } = store
      return (['links', 'idempotencyKeys'] as const).map(
        (table) => database.all(database.sql.selectFrom(table).select('createdAt')).length,
      )
    }
    await purgeExpired(temp.store)
    expect(rows()).toEqual([1, 1])
    clock.pass(24 * HOUR + 1)
    await purgeExpired(temp.store)
    expect(rows()).toEqual([1, 0])
    clock.pass(6 * 24 * HOUR + 30_000)
    await purgeExpired(temp.store)
    expect(rows()).toEqual([0, 0])
  })

  it('is a view that ended, with what was drawn in it where nobody is named for it', async () => {
    using temp = tempStore()
    const { store, clock } = temp
    const at = instantOf(clock())
    const { apiKeyId } = newKey(store)
    const draw = (owner: string) =>
      putAnnotations(store.database, {
        ...{ studyInstanceUid: '1.2.3', owner, revision: 1, annotations: [], updatedAt: at },
      })
    for (const viewId of ['v1', 'v2']) {
      insertView(store.database, viewRecord('', { ...ephemeralView(apiKeyId), viewId }))
      draw(`view ${viewId}`)
    }
    draw('usr_1')
    clock.pass(HOUR / 2)
    noteViewUse(store.database, 'v2', instantOf(clock()))
    clock.pass(HOUR / 2)
    await purgeExpired(temp.store)
    expect(['v1', 'v2'].map((viewId) => findView(store.database, viewId)?.viewId)).toEqual([
      undefined,
      'v2',
    ])
    expect(
      ['view v1', 'view v2', 'usr_1'].map((owner) =>
        annotationRevision(store.database, '1.2.3', owner),
      ),
    ).toEqual([0, 1, 1])
    let purges = 0
    const purge = () => {
      purges += 1
      return 0
    }
    await purgeExpired(temp.store, { purge })
    expect(purges).toBe(1)
  })

  it('is a performed step, a settled commitment request and what was announced after a year, and no image', async () => {
    using temp = tempStore('2026-11-20T08:45:00.000Z')
    const { store, clock } = temp
    seedImages(store, { uid: '1.2' })
    insertPerformedStep(store.database, performedStep())
    const at = instantOf(clock())
    const device = { callingAeTitle: 'CT1', remoteAddress: '10.0.3.7', deviceName: 'CT room 1' }
    const commitmentId = insertCommitment(store.database, {
      transactionUid: '2.25.1',
      ...device,
      requestedAt: at,
      nextAt: at,
      items: [],
    })
    settleCommitment(store.database, commitmentId, 'delivered')
    announceInstances(
      store.database,
      '1.2',
      [{ sopInstanceUid: '1.2.1.2', seriesInstanceUid: '1.2.1' }],
      at,
    )
    const kept = () => [
      findPerformedStep(store.database, '1.9.1'),
      findCommitment(store.database, commitmentId),
      findCurrentInstance(store.database, '1.2.1.1'),
    ]
    clock.pass(365 * 24 * HOUR)
    await purgeExpired(temp.store)
    expect(kept().map((row) => row !== undefined)).toEqual([true, true, true])
    expect(countExpected(store.database, '1.2')).toEqual({ expected: 1, missing: 1 })
    clock.pass(HOUR)
    await purgeExpired(temp.store)
    expect(kept().map((row) => row !== undefined)).toEqual([false, false, true])
    expect(countExpected(store.database, '1.2').expected).toBeNull()
    expect(findImageStudy(store.database, '1.2')?.instances).toBe(1)
  })

  it('is an event after the days of the settings, unless it waits, and what an accepted worklist said with its query', async () => {
    using temp = tempStore()
    const { store, clock } = temp
    store.settings.set('events.retentionDays', 2)
    const log = new EventLog(temp.store)
    const at = () => instantOf(clock())
    const worklist = newEvent({ type: 'modality_worklist.requested', subject: 'CT1' })
    const access = newEvent()
    log.record(worklist, attempt({ at: at() }))
    log.record(access, attempt({ at: at() }))
    await log.flush()
    const waiting = newEvent({ type: 'report.delivered' })
    log.begin(waiting)
    clock.pass(25 * HOUR)
    await purgeExpired(temp.store)
    expect(log.read(worklist.eventId)).toMatchObject({
      request: null,
      attemptList: [{ response: null, outcome: 'accepted' }],
    })
    expect(log.read(access.eventId).attemptList[0]?.response).not.toBeNull()
    clock.pass(24 * HOUR)
    await purgeExpired(temp.store)
    expect(log.list({ limit: 10, show: 'all' }).items.map(({ eventId }) => eventId)).toEqual([
      waiting.eventId,
    ])
  })
})
