import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { updateApiKey } from '#server/modules/api-keys/queries.ts'
import { updateUser } from '#server/modules/users/queries.ts'
import * as annotationService from '#server/modules/viewer/annotations.ts'
import { findView } from '#server/modules/viewer/queries.ts'
import { viewReply } from '#server/modules/viewer/sessions.ts'
import { View } from '#shared/contract/viewing.ts'
import { bound } from '../../../../support/bound.ts'
import { newUser, revoke } from '../../../../support/callers.ts'
import { AT, HOUR, MINUTE, refusalOf, SESSION, type Stage, stage } from './sessions-fixture.ts'

describe('a view by a link', () => {
  it('is of what the link is of, with a token of its own', () => {
    using on = stage()
    const { view, token } = on.follow(on.links.viewer(on.key, { studyId: on.viewed }))
    expect(view).toEqual({
      ...{
        viewId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        sessionId: null,
        tokenHash: expect.stringMatching(/^[0-9a-f]{64}$/),
        kind: 'viewer',
      },
      ...{
        area: 'viewer',
        studyId: on.viewed,
        studyInstanceUid: '1.2.3',
        userId: null,
        user: undefined,
        ephemeral: null,
      },
      ...{ createdByApiKeyId: on.key.apiKeyId, createdByUserId: null },
      ...{ createdAt: AT, lastUsedAt: AT, expiresAt: '2026-11-20T21:00:00.000Z' },
    })
    expect(on.views.viewOf(view.viewId, token)).toEqual(view)
    expect(JSON.stringify(findView(on.store.database, view.viewId))).not.toContain(token)
  })

  it('begins once, and says why it does not', () => {
    using on = stage()
    const { links, key, studies, clock } = on
    const sentenceOf = (link: { readonly url: string }) => refusalOf(() => on.follow(link))
    const mint = () => links.viewer(key, { studyId: on.viewed })
    expect(sentenceOf({ url: 'https://gateway.example/study?token=nothing' })).toBe(
      'This link is not valid: it is incomplete or too old. Ask for a new one.',
    )
    const used = mint()
    on.follow(used)
    expect(sentenceOf(used)).toBe(
      'This link has already been used: each link opens once. Ask for a new one.',
    )
    const cancelled = mint()
    studies.cancelStudy(key, 'viewer', { studyId: on.viewed })
    expect(sentenceOf(cancelled)).toBe('The study was cancelled.')
    studies.uncancelStudy(key, 'viewer', { studyId: on.viewed })
    const revoked = links.reroute(key, { studyId: on.read, assignedToUserId: on.doctor.userId })
    on.users.revokeAccess(key, on.doctor.userId)
    expect(sentenceOf(revoked)).toBe(
      'This link was revoked: the person who created it, or the person it is for, no longer has access.',
    )
    clock.pass(15 * MINUTE)
    expect(sentenceOf(cancelled)).toBe('This link has expired. Ask for a new one.')
    expect(
      on.store.database.all(on.store.database.sql.selectFrom('views').select('viewId')),
    ).toHaveLength(1)
    const refused = on.trail().filter(({ action }) => action === 'link.refused')
    expect(refused.map(({ detail }) => (detail as { why: string }).why)).toEqual([
      'used',
      'cancelled',
      'revoked',
      'expired',
    ])
  })

  it('is refused by the field that named the link', () => {
    using on = stage()
    expect(() => on.views.byLink('nothing')).toThrow(
      expect.objectContaining({
        code: 'refused',
        errors: [{ path: 'body.token', message: 'is of a link that is unknown' }],
      }),
    )
  })

  it('is shown with whom it is for, and whether it is for dictation', () => {
    using on = stage()
    const { links, key, doctor } = on
    const reroute = on.follow(
      links.reroute(key, { studyId: on.read, assignedToUserId: doctor.userId }),
    )
    expect(reroute.view.user).toMatchObject({ userId: doctor.userId, canCreateReports: true })
    expect(View.parse(viewReply(on.store, reroute.view))).toEqual({
      ...{
        viewId: reroute.view.viewId,
        kind: 'reroute',
        area: 'scribe',
        studyId: on.read,
        studyInstanceUid: '1.2.3',
      },
      ...{
        studyDescription: 'scribe CT',
        user: { userId: doctor.userId, name: 'Una Malá' },
        mayDictate: true,
      },
      ...{
        hangingProtocol: null,
        whyNoCapture: null,
        whyNoExport: null,
        expiresAt: '2026-11-20T21:00:00.000Z',
      },
    })
    const named = on.follow(links.viewerOnly(key, { studyId: on.read, userId: doctor.userId }))
    expect(viewReply(on.store, named.view)).toMatchObject({
      kind: 'viewer-only',
      mayDictate: false,
      user: { userId: doctor.userId },
    })
    const unnamed = on.follow(links.viewerOnly(key, { studyId: on.read }))
    expect(viewReply(on.store, unnamed.view)).toMatchObject({
      kind: 'viewer-only',
      user: null,
      whyNoCapture: null,
      whyNoExport: 'DICOM files can only be downloaded by a signed-in user.',
    })
  })

  it('of an ephemeral session gives back what it was made with, kept sealed, and has no study to keep a capture with', () => {
    using on = stage()
    const begun = on.follow(on.links.ephemeral(on.key, 'scribe', SESSION))
    expect(on.look(begun)).toMatchObject({
      kind: 'ephemeral',
      area: 'scribe',
      studyId: null,
      studyInstanceUid: null,
      ephemeral: SESSION,
    })
    expect(View.parse(viewReply(on.store, begun.view))).toMatchObject({
      ...{
        studyId: null,
        studyInstanceUid: null,
        studyDescription: '',
        user: null,
        mayDictate: false,
      },
      ...{
        hangingProtocol: SESSION.hangingProtocol,
        whyNoCapture: 'This view has no study to keep captures or drawings with.',
      },
    })
    const files = readdirSync(on.folder).map((name) => readFileSync(join(on.folder, name)))
    expect(files.some((bytes) => bytes.includes('handle-of-MEIER'))).toBe(false)
  })
})

describe('a view', () => {
  const begin = (on: Stage) => on.follow(on.links.viewer(on.key, { studyId: on.viewed }))

  it('opens to its own token alone', () => {
    using on = stage()
    const [one, other] = [begin(on), begin(on)]
    expect(on.views.viewOf(one.view.viewId, other.token)).toBeUndefined()
    expect(on.views.viewOf(one.view.viewId, '')).toBeUndefined()
    expect(on.views.viewOf('nothing', one.token)).toBeUndefined()
    expect([on.look(one)?.viewId, on.look(other)?.viewId]).toEqual([
      one.view.viewId,
      other.view.viewId,
    ])
  })

  it('ends after its hours, however it is used', () => {
    using on = stage()
    on.store.settings.set('viewer.sessionHours', 2)
    const begun = begin(on)
    for (let half = 1; half < 4; half += 1) {
      on.clock.pass(HOUR / 2)
      expect(on.look(begun)).toBeDefined()
    }
    on.clock.pass(HOUR / 2 - 1)
    expect(on.look(begun)).toBeDefined()
    on.clock.pass(1)
    expect(on.look(begun)).toBeUndefined()
    expect(findView(on.store.database, begun.view.viewId)).toBeUndefined()
    expect(on.ended).toEqual([begun.view.viewId])
  })

  it('ends after its minutes without use', () => {
    using on = stage()
    on.store.settings.set('viewer.idleMinutes', 5)
    const begun = begin(on)
    on.clock.pass(5 * MINUTE - 1)
    expect(on.look(begun)).toBeDefined()
    on.clock.pass(5 * MINUTE - 1)
    expect(on.look(begun)).toBeDefined()
    on.clock.pass(5 * MINUTE)
    expect(on.look(begun)).toBeUndefined()
    expect(on.ended).toEqual([begun.view.viewId])
  })

  it('notes its use once a minute at most', () => {
    using on = stage()
    const begun = begin(on)
    const usedAt = () => findView(on.store.database, begun.view.viewId)?.lastUsedAt
    on.clock.pass(MINUTE - 1)
    on.look(begun)
    expect(usedAt()).toBe(AT)
    on.clock.pass(1)
    on.look(begun)
    expect(usedAt()).toBe('2026-11-20T09:01:00.000Z')
  })

  it('stays while it is used, also where a minute without use ends it', () => {
    using on = stage()
    on.store.settings.set('viewer.idleMinutes', 1)
    const begun = begin(on)
    for (let second = 0; second < 300; second += 20) {
      on.clock.pass(20_000)
      expect(on.look(begun)).toBeDefined()
    }
  })

  it('says that its study was cancelled, and goes on once it is uncancelled', () => {
    using on = stage()
    const begun = begin(on)
    on.studies.cancelStudy(on.key, 'viewer', { studyId: on.viewed })
    expect(refusalOf(() => on.look(begun))).toBe('The study was cancelled.')
    expect(refusalOf(() => on.look(begun))).toBe('The study was cancelled.')
    expect(viewReply(on.store, begun.view).whyNoCapture).toEqual('The study was cancelled.')
    expect(on.ended).toEqual([begun.view.viewId])
    on.studies.uncancelStudy(on.key, 'viewer', { studyId: on.viewed })
    expect(on.look(begun)).toBeDefined()
    // The row of the other area is another study to those who cancel.
    on.studies.cancelStudy(on.key, 'scribe', { studyId: on.read })
    expect(on.look(begun)).toBeDefined()
  })

  it('says that the key that gave its link was revoked', () => {
    using on = stage()
    const begun = begin(on)
    updateApiKey(on.store.database, on.key.apiKeyId, { revokedAt: AT })
    expect(refusalOf(() => on.look(begun))).toBe(
      'The partner that created the link no longer has access.',
    )
    expect(on.ended).toEqual([begun.view.viewId])
  })

  it('says that whoever gave its link, or whom it is for, has no access any more', () => {
    using on = stage()
    const { links, doctor, store } = on
    const maker = newUser(store, { canManageStudies: true })
    const begun = on.follow(
      links.reroute(on.at(maker), { studyId: on.read, assignedToUserId: doctor.userId }),
    )
    revoke(store, maker)
    expect(refusalOf(() => on.look(begun))).toBe(
      'The person who created the link no longer has access.',
    )
    updateUser(store.database, maker)
    updateUser(store.database, { ...doctor, canCreateReports: false })
    expect(refusalOf(() => on.look(begun))).toBe(
      'The person the link is for may no longer create reports.',
    )
    revoke(store, doctor)
    expect(refusalOf(() => on.look(begun))).toBe('The person the link is for no longer has access.')
  })

  it('knows whom it is for as they are now', () => {
    using on = stage()
    const begun = on.follow(
      on.links.reroute(on.key, { studyId: on.read, assignedToUserId: on.doctor.userId }),
    )
    updateUser(on.store.database, { ...on.doctor, lastName: 'Nová', hasDashboardAccess: false })
    expect(on.look(begun)?.user).toMatchObject({ lastName: 'Nová', hasDashboardAccess: false })
  })

  it('ends with the access of whom it is for, and does not come back with it', () => {
    using on = stage()
    const begun = on.follow(
      on.links.viewerOnly(on.key, { studyId: on.read, userId: on.doctor.userId }),
    )
    expect(on.look(begun)).toBeDefined()
    on.users.revokeAccess(on.key, on.doctor.userId)
    on.users.reactivateUser(on.key, on.doctor.userId)
    expect(on.look(begun)).toBeUndefined()
    expect(on.ended).toEqual([begun.view.viewId])
  })

  it('is closed once, and told of once', () => {
    using on = stage()
    const [one, other] = [begin(on), begin(on)]
    on.views.close(one.view.viewId)
    on.views.close(one.view.viewId)
    on.views.close('nothing')
    expect([on.look(one), on.look(other)?.viewId]).toEqual([undefined, other.view.viewId])
    expect(on.ended).toEqual([one.view.viewId])
  })

  it('that nobody is named for takes what was drawn in it along, and leaves a person theirs', () => {
    using on = stage()
    const annotations = bound(annotationService, on.store)
    const unnamed = begin(on)
    const named = on.follow(
      on.links.viewerOnly(on.key, { studyId: on.read, userId: on.doctor.userId }),
    )
    for (const { view } of [unnamed, named])
      annotations.saveAnnotations(view, '1.2.3', { revision: 0, annotations: [{ tool: 'Length' }] })
    for (const { view } of [unnamed, named]) on.views.close(view.viewId)
    expect(annotations.readAnnotations(unnamed.view, '1.2.3').revision).toBe(0)
    expect(annotations.readAnnotations(named.view, '1.2.3').revision).toBe(1)
  })

  it('is forgotten after its time, and whatever cannot be used any more is let go of', () => {
    using on = stage()
    const annotations = bound(annotationService, on.store)
    const idle = begin(on)
    annotations.saveAnnotations(idle.view, '1.2.3', { revision: 0, annotations: [] })
    on.clock.pass(30 * MINUTE)
    const used = begin(on)
    const cancelled = on.follow(on.links.viewerOnly(on.key, { studyId: on.read }))
    expect([on.views.purge(), on.ended]).toEqual([0, []])
    on.clock.pass(30 * MINUTE)
    on.studies.cancelStudy(on.key, 'scribe', { studyId: on.read })
    expect(on.views.purge()).toBe(1)
    expect([...on.ended].sort()).toEqual([idle.view.viewId, cancelled.view.viewId].sort())
    expect(annotations.readAnnotations(idle.view, '1.2.3').revision).toBe(0)
    expect(on.look(used)).toBeDefined()
    expect([on.views.purge(), on.ended.length]).toEqual([0, 2])
  })
})
