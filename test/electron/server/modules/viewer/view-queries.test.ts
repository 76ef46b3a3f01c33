import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { LinkRecord } from '#server/modules/viewer/link-queries.ts'
import type { ViewRecord } from '#server/modules/viewer/view-queries.ts'
import { newKey, newUser } from '../../../../support/callers.ts'
import { tempStore } from '../../../../support/temp-store.ts'
import { ephemeralView, viewRecord } from '../../../../support/view-record.ts'

const AT = '2026-03-10T09:00:00.000Z'
const at = (minutes: number) => new Date(Date.parse(AT) + minutes * 60_000).toISOString()

function stage() {
  const temp = tempStore(AT)
  const { store } = temp
  const { apiKeyId } = newKey(store)
  const { userId } = newUser(store)
  function insert(differs: Partial<ViewRecord> = {}): ViewRecord {
    const view = viewRecord(userId, differs)
    store.views.insert(view)
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
    views: store.views,
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
    expect(on.views.get(view.viewId)).toEqual(view)
    on.views.noteUse(view.viewId, at(5))
    expect(on.views.get(view.viewId)).toEqual({ ...view, lastUsedAt: at(5) })
    expect([
      on.views.remove(view.viewId),
      on.views.remove(view.viewId),
      on.views.get(view.viewId),
    ]).toEqual([true, false, undefined])
  })

  it('keeps what a partner gave without a study sealed', () => {
    using on = stage()
    const view = on.insert(on.EPHEMERAL)
    expect(on.views.get(view.viewId)).toEqual(view)
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
    expect(on.views.purge(at(60), at(1)).sort()).toEqual([old.viewId, idle.viewId].sort())
    expect(on.views.purge(at(60), at(1))).toEqual([])
    expect(on.views.get(used.viewId)).toEqual(used)
  })

  it('goes with its user, and no other one does', () => {
    using on = stage()
    const [window, ephemeral] = [on.insert(), on.insert(on.EPHEMERAL)]
    const other = on.insert({ userId: newUser(on.store).userId })
    expect(on.views.removeOf(on.userId, 'reroute')).toBe(0)
    expect(on.views.removeOf(on.userId)).toBe(1)
    expect([window, ephemeral, other].map(({ viewId }) => on.views.get(viewId)?.viewId)).toEqual([
      undefined,
      ephemeral.viewId,
      other.viewId,
    ])
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
    const { links } = on.store
    const one = link(on, 'a'.repeat(64))
    links.insert(one)
    expect(links.find(one.tokenHash)).toEqual(one)
    expect([links.redeem(one.tokenHash, at(1)), links.redeem(one.tokenHash, at(2))]).toEqual([
      true,
      false,
    ])
    expect(links.find(one.tokenHash)).toEqual({ ...one, usedAt: at(1) })
    expect([links.find('b'.repeat(64)), links.redeem('b'.repeat(64), at(1))]).toEqual([
      undefined,
      false,
    ])
  })

  it('is not used up when its time is over, or when it was revoked', () => {
    using on = stage()
    const { links } = on.store
    const [late, revoked, others] = [
      link(on, 'a'.repeat(64), { userId: null }),
      link(on, 'b'.repeat(64)),
      link(on, 'c'.repeat(64), { userId: newUser(on.store).userId }),
    ]
    for (const one of [late, revoked, others]) links.insert(one)
    expect(links.redeem(late.tokenHash, late.expiresAt)).toBe(false)
    links.revokeOf(on.userId, at(3))
    links.revokeOf(on.userId, at(4))
    expect(links.redeem(revoked.tokenHash, at(5))).toBe(false)
    expect(
      [late, revoked, others].map(({ tokenHash }) => links.find(tokenHash)?.revokedAt),
    ).toEqual([null, at(3), null])
  })
})
