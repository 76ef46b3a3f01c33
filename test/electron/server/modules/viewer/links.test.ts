import { describe, expect, it } from 'vitest'
import { updateApiKey } from '#server/modules/api-keys/queries.ts'
import * as studyService from '#server/modules/studies/service.ts'
import type { Area } from '#server/modules/studies/study-queries.ts'
import { findUser, updateUser } from '#server/modules/users/queries.ts'
import * as userService from '#server/modules/users/users.ts'
import { bound } from '../../../../support/bound.ts'
import { atTheWindow, newKey, newUser, revoke } from '../../../../support/callers.ts'
import { linksOf } from '../../../../support/links.ts'
import { refusalOf } from '../../../../support/refusal.ts'
import { draftReport } from '../../../../support/reports.ts'
import { tempStore } from '../../../../support/temp-store.ts'

function stage() {
  const temp = tempStore()
  const { store } = temp
  const links = linksOf(store)
  const studies = bound(studyService, temp.store)
  const key = newKey(store)
  /** What following the link gives: what it opens, or why it does not. */
  function follow({ url }: { readonly url: string }) {
    const opening = links.open(tokenOf({ url }))
    return opening.outcome === 'opened' ? opening.link : opening.why
  }
  const create = (area: Area, uid: string) =>
    studies.createStudy(key, area, {
      studyInstanceUid: uid,
      studyDescription: 'CT',
      severity: 'normal',
    }).record.studyId
  return {
    ...{ ...temp, links, studies, key, follow },
    viewed: create('viewer', '1.2.3'),
    read: create('scribe', '1.2.3'),
    [Symbol.dispose]: () => temp[Symbol.dispose](),
  }
}

const tokenOf = ({ url }: { readonly url: string }) => new URL(url).searchParams.get('token') ?? ''

describe('a link to the viewer', () => {
  it('opens its study once', () => {
    using on = stage()
    const { links, key, viewed, store } = on
    const url = links.viewer(key, { studyInstanceUid: '1.2.3' })
    expect(url.url).toMatch(
      new RegExp(`^https://gateway\\.example/study/${viewed}\\?token=[\\w-]{43}$`),
    )
    const stored = JSON.stringify(
      store.database.all(store.database.sql.selectFrom('links').selectAll()),
    )
    expect(stored).not.toContain(tokenOf(url))
    expect(on.follow(url)).toEqual({
      ...{ kind: 'viewer', area: 'viewer', studyId: viewed, userId: null, ephemeral: null },
      ...{ createdByApiKeyId: key.apiKeyId, createdByUserId: null },
    })
    expect(on.follow(url)).toBe('used')
    expect(links.open('nothing')).toEqual({ outcome: 'closed', why: 'unknown' })
  })

  it('ends when its time is over', () => {
    using on = stage()
    const { links, key, viewed, clock, store } = on
    const [one, other] = [
      links.viewer(key, { studyId: viewed }),
      links.viewer(key, { studyId: viewed }),
    ]
    clock.pass(15 * 60_000 - 1)
    expect(on.follow(one)).toMatchObject({ studyId: viewed })
    clock.pass(1)
    expect(on.follow(other)).toBe('expired')
    expect(on.follow(one)).toBe('used')
    store.settings.set('viewer.linkMinutes', 1)
    const short = links.viewer(key, { studyId: viewed })
    clock.pass(60_000)
    expect(on.follow(short)).toBe('expired')
  })

  it('ends with the access of the key that gave it', () => {
    using on = stage()
    const { links, key, viewed, store } = on
    const url = links.viewer(key, { studyId: viewed })
    updateApiKey(store.database, key.apiKeyId, { revokedAt: '2026-03-10T09:00:00.000Z' })
    expect(on.follow(url)).toBe('revoked')
  })

  it('ends with the access of the person who gave it', () => {
    using on = stage()
    const user = newUser(on.store)
    const url = on.links.viewer(atTheWindow(user), { studyId: on.viewed })
    revoke(on.store, user)
    expect(on.follow(url)).toBe('revoked')
    updateUser(on.store.database, user)
    expect(on.follow(url)).toMatchObject({ studyId: on.viewed, createdByUserId: user.userId })
  })

  it('does not open a study that was cancelled since, and does once it is uncancelled', () => {
    using on = stage()
    const { links, studies, key, viewed } = on
    const url = links.viewer(key, { studyId: viewed })
    studies.cancelStudy(key, 'viewer', { studyId: viewed })
    expect([on.follow(url), on.follow(url)]).toEqual(['cancelled', 'cancelled'])
    studies.uncancelStudy(key, 'viewer', { studyId: viewed })
    expect(on.follow(url)).toMatchObject({ studyId: viewed })
  })

  it('tells whoever follows it when it is over nothing of the study now', () => {
    using on = stage()
    const { links, studies, key, viewed, clock, store } = on
    const [used, expired] = [
      links.viewer(key, { studyId: viewed }),
      links.viewer(key, { studyId: viewed }),
    ]
    on.follow(used)
    studies.cancelStudy(key, 'viewer', { studyId: viewed })
    updateApiKey(store.database, key.apiKeyId, { revokedAt: '2026-03-10T09:00:00.000Z' })
    clock.pass(15 * 60_000)
    expect([on.follow(used), on.follow(expired)]).toEqual(['used', 'expired'])
  })

  it('is audited each time it is followed, opened or not', () => {
    using on = stage()
    const { links, key, viewed, store } = on
    const url = links.viewer(key, { studyId: viewed })
    on.follow(url)
    on.follow(url)
    links.open('nothing')
    const rows = store.audit
      .list({ limit: 10 })
      .items.filter(({ action }) => action.startsWith('link.'))
    expect(
      rows.map(({ actor, action, target, detail }) => [actor, action, target, detail]),
    ).toEqual([
      ['gateway', 'link.refused', viewed, { kind: 'viewer', userId: null, why: 'used' }],
      ['gateway', 'link.open', viewed, { kind: 'viewer', userId: null }],
      [`api-key:${key.apiKeyId}`, 'link.mint', viewed, { kind: 'viewer', userId: null }],
    ])
  })

  it('is not given for a cancelled study, nor for one of the other area', () => {
    using on = stage()
    const { links, studies, key, viewed, read } = on
    expect(refusalOf(() => links.viewer(key, { studyId: read }))).toBe('not-found')
    expect(refusalOf(() => links.viewer(key, {}))).toBe('malformed body.studyId')
    studies.cancelStudy(key, 'viewer', { studyId: viewed })
    expect(refusalOf(() => links.viewer(key, { studyId: viewed }))).toBe('refused')
    studies.cancelStudy(key, 'scribe', { studyId: read })
    expect(refusalOf(() => links.viewerOnly(key, { studyId: read }))).toBe('refused')
  })
})

describe('a reroute link', () => {
  it('assigns the study when it is made, not when it is opened', () => {
    using on = stage()
    const { links, studies, key, read, store } = on
    const [one, other] = [newUser(store), newUser(store)]
    const state = () => {
      const { record, assignedTo } = studies.readStudy(key, 'scribe', read)
      return [record.status, assignedTo?.userId]
    }
    const first = links.reroute(key, { studyId: read, assignedToUserId: one.userId })
    expect(state()).toEqual(['assigned', one.userId])
    links.reroute(key, { studyId: read, assignedToUserId: other.userId })
    expect(state()).toEqual(['assigned', other.userId])
    expect(on.follow(first)).toMatchObject({
      kind: 'reroute',
      area: 'scribe',
      studyId: read,
      userId: one.userId,
    })
    expect(state()).toEqual(['assigned', other.userId])
  })

  it('is refused for a user who is unknown, revoked or cannot create reports', () => {
    using on = stage()
    const { links, key, read, store } = on
    const gone = newUser(store)
    revoke(store, gone)
    const reroute = (assignedToUserId: string) =>
      refusalOf(() => links.reroute(key, { studyId: read, assignedToUserId }))
    expect(reroute(`usr_${'0'.repeat(32)}`)).toBe('refused body.assignedToUserId')
    expect(reroute(gone.userId)).toBe('refused body.assignedToUserId')
    expect(reroute(newUser(store, { canCreateReports: false }).userId)).toBe(
      'refused body.assignedToUserId',
    )
  })

  it('is refused while another user is at work on the study, and given to that user', () => {
    using on = stage()
    const { links, key, read, store } = on
    const [one, other] = [newUser(store), newUser(store)]
    links.reroute(key, { studyId: read, assignedToUserId: one.userId })
    draftReport(store, { studyId: read, userId: one.userId })
    expect(
      refusalOf(() => links.reroute(key, { studyId: read, assignedToUserId: other.userId })),
    ).toBe('refused body.assignedToUserId')
    expect(
      refusalOf(() => links.reroute(key, { studyId: read, assignedToUserId: one.userId })),
    ).toBe('none')
  })

  it('ends with the access of the user it is for', () => {
    using on = stage()
    const { links, key, read, store } = on
    const user = newUser(store)
    const url = links.reroute(key, { studyId: read, assignedToUserId: user.userId })
    revoke(store, user)
    expect(on.follow(url)).toBe('revoked')
  })

  it('ends with the right of that user to create reports', () => {
    using on = stage()
    const { links, key, read, store } = on
    const user = newUser(store)
    const url = links.reroute(key, { studyId: read, assignedToUserId: user.userId })
    updateUser(store.database, { ...user, canCreateReports: false })
    expect(on.follow(url)).toBe('revoked')
    updateUser(store.database, user)
    expect(on.follow(url)).toMatchObject({ userId: user.userId })
  })

  it('stays closed when the user has access again', () => {
    using on = stage()
    const { links, key, read, store } = on
    const user = newUser(store)
    const url = links.reroute(key, { studyId: read, assignedToUserId: user.userId })
    const users = bound(userService, on.store)
    users.revokeAccess(key, user.userId)
    users.reactivateUser(key, user.userId)
    expect(findUser(store.database, user.userId)?.deactivatedAt).toBeNull()
    expect(on.follow(url)).toBe('revoked')
  })

  it('needs the right to manage studies at the window', () => {
    using on = stage()
    const { links, read, store } = on
    const user = newUser(store)
    expect(
      refusalOf(() =>
        links.reroute(atTheWindow(user), { studyId: read, assignedToUserId: user.userId }),
      ),
    ).toBe('not-permitted')
    expect(refusalOf(() => links.viewerOnly(atTheWindow(user), { studyId: read }))).toBe('none')
  })
})

describe('a viewer-only link', () => {
  it('leaves the study alone and notes whom it is for', () => {
    using on = stage()
    const { links, studies, key, read, store } = on
    const before = studies.readStudy(key, 'scribe', read)
    const { userId } = newUser(store)
    const url = links.viewerOnly(key, { studyId: read, userId })
    expect(studies.readStudy(key, 'scribe', read)).toEqual(before)
    expect(store.audit.list({ limit: 1 }).items[0]).toMatchObject({
      action: 'link.mint',
      target: read,
      detail: { kind: 'viewer-only', userId },
    })
    expect(on.follow(url)).toMatchObject({
      kind: 'viewer-only',
      area: 'scribe',
      studyId: read,
      userId,
    })
    expect(
      refusalOf(() => links.viewerOnly(key, { studyId: read, userId: `usr_${'0'.repeat(32)}` })),
    ).toBe('refused body.userId')
  })
})

describe('an ephemeral session', () => {
  const session = {
    retrievalId: 'handle-1',
    options: { deep: { list: [1, null, 'x'] } },
    hangingProtocol: { layout: '1x2', viewportAssignments: ['T1', null] },
  }

  it('has a link for 30 seconds, and gives back what it was made with', () => {
    using on = stage()
    const { links, key, clock } = on
    const [one, other] = [
      links.ephemeral(key, 'scribe', session),
      links.ephemeral(key, 'viewer', { retrievalId: 'handle-2' }),
    ]
    expect(one.url).toMatch(/^https:\/\/gateway\.example\/token\/landing\?token=/)
    clock.pass(29_999)
    expect(on.follow(one)).toMatchObject({
      kind: 'ephemeral',
      area: 'scribe',
      studyId: null,
      ephemeral: session,
    })
    clock.pass(1)
    expect(on.follow(other)).toBe('expired')
  })

  it('is refused where no endpoint would be asked', () => {
    using on = stage()
    expect(refusalOf(() => on.links.ephemeral(on.key, 'viewer', session, false))).toBe('refused')
  })
})
