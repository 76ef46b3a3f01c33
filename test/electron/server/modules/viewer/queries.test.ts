import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { deleteViewsOf, revokeLinksOf } from '#server/modules/users/viewer-queries.ts'
import type {
  CaptureRecord,
  LinkRecord,
  ViewFileRecord,
  ViewRecord,
} from '#server/modules/viewer/queries.ts'
import * as viewerQueries from '#server/modules/viewer/queries.ts'
import { message } from '#shared/messages/message.ts'
import { bound } from '../../../../support/bound.ts'
import { newKey, newUser } from '../../../../support/callers.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { ephemeralView, viewRecord } from '../../../../support/view-record.ts'

const AT = '2026-03-10T09:00:00.000Z'
const at = (minutes: number) => new Date(Date.parse(AT) + minutes * 60_000).toISOString()

function stage() {
  const temp = tempStore(AT)
  const { store } = temp
  const queries = bound(viewerQueries, store.database)
  const { apiKeyId } = newKey(store)
  const { userId } = newUser(store)
  function insert(differs: Partial<ViewRecord> = {}): ViewRecord {
    const view = viewRecord(userId, differs)
    queries.insertView(view)
    return view
  }
  const EPHEMERAL: Partial<ViewRecord> = {
    ...ephemeralView(apiKeyId),
    ephemeral: {
      retrievalId: 'MEIER-ANNA-4711',
      options: { deep: [1, null] },
      hangingProtocol: { layout: '1x2', viewportAssignments: ['T1', null] },
    },
  }
  return {
    ...temp,
    queries,
    apiKeyId,
    userId,
    insert,
    EPHEMERAL,
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))

describe('a view', () => {
  it('is kept as it began, with when it was last used', () => {
    using on = stage()
    const view = on.insert()
    expect(on.queries.findView(view.viewId)).toEqual(view)
    on.queries.noteViewUse(view.viewId, at(5))
    expect(on.queries.findView(view.viewId)).toEqual({ ...view, lastUsedAt: at(5) })
    on.queries.deleteView(view.viewId)
    expect(on.queries.findView(view.viewId)).toBeUndefined()
  })

  it('keeps what a partner gave without a study sealed', () => {
    using on = stage()
    const view = on.insert(on.EPHEMERAL)
    expect(on.queries.findView(view.viewId)).toEqual(view)
    expect(filesOf(on.folder).some((bytes) => bytes.includes('MEIER-ANNA-4711'))).toBe(false)
    expect(filesOf(on.folder).some((bytes) => bytes.includes(view.tokenHash))).toBe(true)
  })

  it('is purged when its time is over or it was not used for long enough', () => {
    using on = stage()
    const [old, idle, used] = [
      on.insert({ expiresAt: at(60) }),
      on.insert({ lastUsedAt: at(1) }),
      on.insert({ lastUsedAt: at(2) }),
    ]
    expect(on.queries.purgeViews(at(60), at(1)).sort()).toEqual([old.viewId, idle.viewId].sort())
    expect(on.queries.purgeViews(at(60), at(1))).toEqual([])
    expect(on.queries.findView(used.viewId)).toEqual(used)
  })

  it('goes with its user, and no other one does', () => {
    using on = stage()
    const [window, ephemeral] = [on.insert(), on.insert(on.EPHEMERAL)]
    const other = on.insert({ userId: newUser(on.store).userId })
    deleteViewsOf(on.store.database, on.userId)
    expect(
      [window, ephemeral, other].map(({ viewId }) => on.queries.findView(viewId)?.viewId),
    ).toEqual([undefined, ephemeral.viewId, other.viewId])
  })
})

describe('a link', () => {
  const link = (
    on: ReturnType<typeof stage>,
    tokenHash: string,
    differs: Partial<LinkRecord> = {},
  ): LinkRecord => ({
    ...{
      tokenHash,
      kind: 'ephemeral',
      area: 'viewer',
      studyId: null,
      userId: on.userId,
      createdByApiKeyId: on.apiKeyId,
    },
    ...{
      createdByUserId: null,
      ephemeral: { retrievalId: 'h' },
      createdAt: AT,
      expiresAt: at(15),
      usedAt: null,
      revokedAt: null,
    },
    ...differs,
  })

  it('is used up once and found afterwards', () => {
    using on = stage()
    const { queries } = on
    const one = link(on, 'a'.repeat(64))
    queries.insertLink(one)
    expect(queries.findLink(one.tokenHash)).toEqual(one)
    expect([
      queries.redeemLink(one.tokenHash, at(1)),
      queries.redeemLink(one.tokenHash, at(2)),
    ]).toEqual([true, false])
    expect(queries.findLink(one.tokenHash)).toEqual({ ...one, usedAt: at(1) })
    expect([queries.findLink('b'.repeat(64)), queries.redeemLink('b'.repeat(64), at(1))]).toEqual([
      undefined,
      false,
    ])
  })

  it('is not used up when its time is over, or when it was revoked', () => {
    using on = stage()
    const { queries } = on
    const [late, revoked, others] = [
      link(on, 'a'.repeat(64), { userId: null }),
      link(on, 'b'.repeat(64)),
      link(on, 'c'.repeat(64), { userId: newUser(on.store).userId }),
    ]
    for (const one of [late, revoked, others]) queries.insertLink(one)
    expect(queries.redeemLink(late.tokenHash, late.expiresAt)).toBe(false)
    revokeLinksOf(on.store.database, on.userId, at(3))
    revokeLinksOf(on.store.database, on.userId, at(4))
    expect(queries.redeemLink(revoked.tokenHash, at(5))).toBe(false)
    expect(
      [late, revoked, others].map(({ tokenHash }) => queries.findLink(tokenHash)?.revokedAt),
    ).toEqual([null, at(3), null])
  })
})

const capture = (number: number, differs: Partial<CaptureRecord> = {}): CaptureRecord => ({
  ...{
    captureId: `c${number}`,
    studyId: null,
    studyInstanceUid: '1.2.3',
    sopInstanceUid: `2.25.${number}`,
    seriesInstanceUid: '2.25.9',
  },
  ...{
    ofSopInstanceUid: '1.2.3.1.1',
    ofSeriesInstanceUid: '1.2.3.1',
    apiKeyId: null,
    userId: null,
    state: 'waiting',
  },
  ...{
    urls: 0,
    uploaded: 0,
    attempts: 0,
    nextAt: AT,
    lastError: null,
    createdAt: AT,
    updatedAt: AT,
    ...differs,
  },
})

describe('a secondary capture', () => {
  it('keeps what it is of, and how it stands', () => {
    using on = stage()
    const { queries } = on
    const of = { apiKeyId: on.apiKeyId, userId: on.userId }
    queries.insertCapture(capture(1, of))
    expect(queries.findCapture('c1')).toEqual(capture(1, of))
    const tried = {
      state: 'failed',
      urls: 2,
      uploaded: 1,
      attempts: 3,
      nextAt: null,
      lastError: message('viewer.capture-no-answer', { reason: 'it gave none' }),
      updatedAt: at(5),
    }
    queries.updateCapture({ ...capture(1, of), ...tried, studyInstanceUid: '9.9' } as CaptureRecord)
    expect(queries.findCapture('c1')).toEqual(
      capture(1, { ...of, ...tried } as Partial<CaptureRecord>),
    )
    expect(queries.findCapture('c2')).toBeUndefined()
  })

  it('is listed with those of its study, newest first', () => {
    using on = stage()
    const { queries } = on
    queries.insertCapture(capture(1))
    queries.insertCapture(capture(2, { createdAt: at(5) }))
    queries.insertCapture(capture(3, { studyInstanceUid: '1.2.4' }))
    expect(queries.capturesOfStudy('1.2.3').map(({ captureId }) => captureId)).toEqual(['c2', 'c1'])
  })

  it('has not more uploads than places, and a UID of its own', () => {
    using on = stage()
    const { queries } = on
    expect(() => queries.insertCapture(capture(1, { uploaded: 1 }))).toThrow(
      'CHECK constraint failed',
    )
    queries.insertCapture(capture(1))
    expect(() => queries.insertCapture(capture(2, { sopInstanceUid: '2.25.1' }))).toThrow(
      'UNIQUE constraint failed',
    )
  })
})

const file = (letter: string, differs: Partial<ViewFileRecord> = {}): ViewFileRecord => ({
  ...{ fileKey: letter.repeat(64), studyInstanceUid: '1.2.3', file: `${letter}/${letter}.dcm` },
  ...{ bytes: 526_000, etag: '"v1"', lastModified: null, usedAt: AT, createdAt: AT, ...differs },
})

describe('files fetched for the viewer', () => {
  it('are found by their key, and give way to a newer one of it', () => {
    using on = stage()
    const { queries } = on
    queries.putViewFile(file('a'))
    const newer = file('a', {
      ...{ file: 'a/other.dcm', bytes: 1, etag: null },
      lastModified: 'Fri, 20 Nov 2026 09:00:00 GMT',
    })
    queries.putViewFile(newer)
    expect(queries.findViewFile('a'.repeat(64))).toEqual(newer)
    expect(queries.oldestViewFiles(9)).toEqual([newer])
    expect([
      queries.deleteViewFile('a'.repeat(64)),
      queries.deleteViewFile('a'.repeat(64)),
    ]).toEqual([true, false])
  })

  it('make room in the order they were used', () => {
    using on = stage()
    const { queries } = on
    for (const letter of ['a', 'b', 'c']) queries.putViewFile(file(letter))
    queries.noteViewFileUse('a'.repeat(64), at(60))
    expect(queries.oldestViewFiles(2)).toEqual([file('b'), file('c')])
    expect(queries.oldestViewFiles(9).at(-1)).toEqual(file('a', { usedAt: at(60) }))
  })

  it('are each at a place of their own', () => {
    using on = stage()
    on.queries.putViewFile(file('a'))
    expect(() => on.queries.putViewFile(file('b', { file: 'a/a.dcm' }))).toThrow(
      'UNIQUE constraint failed',
    )
  })
})
