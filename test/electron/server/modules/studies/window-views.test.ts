import { describe, expect, it } from 'vitest'
import { type UserRecord, updateUser } from '#server/modules/users/queries.ts'
import { viewReply } from '#server/modules/viewer/sessions.ts'
import { View } from '#shared/contract/viewing.ts'
import type { ExpressCustomerId } from '#shared/ids.ts'
import { newUser } from '../../../../support/callers.ts'
import { seedImages } from '../../../../support/images.ts'
import { refusalOf, stage } from '../viewer/sessions-fixture.ts'

describe('a view from the window', () => {
  it('is of the study that is named, and is audited', () => {
    using on = stage()
    const { view } = on.views.byUser(on.at(on.doctor), { studyId: on.viewed })
    expect(view).toMatchObject({
      ...{
        kind: 'window',
        area: 'viewer',
        studyId: on.viewed,
        studyInstanceUid: '1.2.3',
        userId: on.doctor.userId,
      },
      ...{
        createdByUserId: on.doctor.userId,
        createdByApiKeyId: null,
        user: { userId: on.doctor.userId },
      },
    })
    expect(on.trail()).toEqual([
      {
        actor: `user:${on.doctor.userId}`,
        action: 'view.open',
        target: on.viewed,
        detail: { kind: 'window' },
      },
    ])
  })

  it('of a UID is of the scribe study, else of the viewer study, else of what the archive has', () => {
    using on = stage()
    const { views, studies, key } = on
    const of = (studyInstanceUid: string) =>
      views.byUser(on.at(on.doctor), { studyInstanceUid }).view
    expect(of('1.2.3')).toMatchObject({ area: 'scribe', studyId: on.read })
    studies.cancelStudy(key, 'scribe', { studyId: on.read })
    expect(of('1.2.3')).toMatchObject({ area: 'viewer', studyId: on.viewed })
    studies.cancelStudy(key, 'viewer', { studyId: on.viewed })
    expect(refusalOf(() => of('1.2.3'))).toBe('The study is cancelled: reinstate it first.')
    seedImages(on.store, { uid: '1.2.3' })
    seedImages(on.store, { uid: '1.2.9' })
    expect(of('1.2.3')).toMatchObject({ area: null, studyId: null })
    const archived = of('1.2.9')
    expect(archived).toMatchObject({ area: null, studyId: null, studyInstanceUid: '1.2.9' })
    expect(View.parse(viewReply(on.store, archived))).toMatchObject({
      studyDescription: 'CT Thorax',
      whyNoCapture: null,
      whyNoExport: null,
      mayDictate: false,
    })
    expect(on.trail().at(-1)).toMatchObject({ action: 'view.open', target: '1.2.9' })
    expect(refusalOf(() => of('1.2.10'))).toBe('not-found')
  })

  it('is not begun for what is not there, is cancelled, or for whom the window is closed', () => {
    using on = stage()
    const { views, studies, key, doctor, store } = on
    const of = (studyId: string) => refusalOf(() => views.byUser(on.at(doctor), { studyId }))
    expect(of(`stu_${'0'.repeat(32)}`)).toBe('not-found')
    studies.cancelStudy(key, 'scribe', { studyId: on.read })
    expect(of(on.read)).toBe('The study is cancelled: reinstate it first.')
    const outside = newUser(store, { hasDashboardAccess: false })
    expect(refusalOf(() => views.byUser(on.at(outside), { studyId: on.viewed }))).toBe(
      'not-permitted',
    )
    expect(on.trail()).toEqual([])
  })

  it('is of the studies of the person’s customers alone, and ends with them', () => {
    using on = stage()
    const { views, customers, key, create, store } = on
    const [mine, other] = ['Mine', 'Other'].map(
      (expressCustomerName) =>
        customers.createCustomer(key, { expressCustomerName })
          .expressCustomerId as ExpressCustomerId,
    )
    const [one, two] = [
      create('viewer', '1.2.4', { expressCustomerId: mine ?? '' }),
      create('viewer', '1.2.5', { expressCustomerId: other ?? '' }),
    ]
    for (const uid of ['1.2.4', '1.2.5', '1.2.6']) seedImages(store, { uid })
    customers.addCustomerUser(key, mine ?? '', on.doctor.userId)
    const open = (of: { readonly studyId: string } | { readonly studyInstanceUid: string }) =>
      views.byUser(on.at(on.doctor), of)
    const begun = open({ studyId: one })
    expect(open({ studyInstanceUid: '1.2.4' }).view.studyId).toBe(one)
    expect(refusalOf(() => open({ studyId: two }))).toBe('not-found')
    expect(refusalOf(() => open({ studyInstanceUid: '1.2.5' }))).toBe('not-found')
    expect(refusalOf(() => open({ studyInstanceUid: '1.2.6' }))).toBe('not-found')
    expect(on.look(begun)).toBeDefined()
    customers.addCustomerUser(key, other ?? '', on.doctor.userId)
    customers.removeCustomerUser(key, mine ?? '', on.doctor.userId)
    expect(refusalOf(() => on.look(begun))).toBe('Your account no longer has access to this study.')
    expect(on.look(open({ studyId: two }))).toBeDefined()
  })

  it('of the archive alone ends where the person sees the images no more', () => {
    using on = stage()
    seedImages(on.store, { uid: '1.2.9' })
    const begun = on.views.byUser(on.at(on.doctor), { studyInstanceUid: '1.2.9' })
    expect(on.look(begun)).toBeDefined()
    const customer = on.customers.createCustomer(on.key, {
      expressCustomerName: 'Mine',
    }).expressCustomerId
    on.customers.addCustomerUser(on.key, customer, on.doctor.userId)
    expect(refusalOf(() => on.look(begun))).toBe('Your account no longer has access to this study.')
  })

  it('ends with the access to the window, which a view by a link does not need', () => {
    using on = stage()
    const { users, key, doctor, store } = on
    const window = on.views.byUser(on.at(doctor), { studyId: on.read })
    const linked = on.follow(
      on.links.reroute(key, { studyId: on.read, assignedToUserId: doctor.userId }),
    )
    updateUser(store.database, { ...doctor, hasDashboardAccess: false })
    expect(refusalOf(() => on.look(window))).toBe('Your account no longer has access.')
    updateUser(store.database, doctor)
    expect(on.look(window)).toBeDefined()
    users.updateUser(key, doctor.userId, { hasDashboardAccess: false })
    users.updateUser(key, doctor.userId, { hasDashboardAccess: true })
    expect([on.look(window), on.look(linked)?.viewId]).toEqual([undefined, linked.view.viewId])
  })

  it('makes captures for whoever may manage studies or write reports', () => {
    using on = stage()
    const whyNot = (more: Partial<UserRecord>) => {
      const user = newUser(on.store, { canCreateReports: false, ...more })
      return viewReply(on.store, on.views.byUser(on.at(user), { studyId: on.read }).view)
        .whyNoCapture
    }
    expect(whyNot({})).toEqual(
      'Your account can only view images: an owner or an administrator can allow more.',
    )
    expect([
      whyNot({ canCreateReports: true }),
      whyNot({ canManageStudies: true }),
      whyNot({ level: 'admin' }),
    ]).toEqual([null, null, null])
  })
})
