import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { serveCorrections } from '#server/modules/corrections/correction-routes.ts'
import type { Corrections } from '#server/modules/corrections/corrections.ts'
import * as studyService from '#server/modules/studies/service.ts'
import {
  type Correction,
  dashboardCorrections,
  type TargetChoice,
} from '#shared/contract/corrections.ts'
import type { ExpressCustomerId } from '#shared/ids.ts'
import { newKey } from '../../../../support/callers.ts'
import { seedImages } from '../../../../support/images.ts'
import {
  codeOf,
  mayManage,
  openTestDashboard,
  type TestDashboard,
  type TestWindow,
} from '../dashboard/dashboard-fixture.ts'

const OWN = '1.2.2'
const FOREIGN = '1.2.1'
const NOBODY = {
  patientName: '',
  patientId: '',
  patientBirthDate: '',
  patientSex: '',
  accessionNumber: '',
} as const
const choice = (target: TargetChoice['target']): TargetChoice => ({
  ...{ target, ...NOBODY, description: '', modality: 'CT', date: '', time: '', instances: 0 },
})
const order = { to: 'order', orderId: 'o1' } as const
const own = { to: 'study', studyInstanceUid: OWN } as const
const foreign = { to: 'study', studyInstanceUid: FOREIGN } as const
const correction = (to: string): Correction => ({
  ...{
    correctionId: randomUUID(),
    kind: 'reassign',
    cause: 'wrong-worklist-entry',
    reason: 'mixed up',
  },
  ...{
    fromStudyInstanceUid: OWN,
    toStudyInstanceUid: to,
    instances: 1,
    changes: [],
    at: '2026-11-20T08:00:00.000Z',
  },
  ...{ by: 'Olga Berg', undone: null, progress: null, undoObstacle: null },
})

let gateway: TestDashboard
let linked: TestWindow
let made: Correction[]
beforeEach(async () => {
  made = [correction(OWN), correction(FOREIGN)]
  const corrections = {
    targets: async () => [order, own, foreign].map(choice),
    list: () => made,
  } as unknown as Corrections
  gateway = await openTestDashboard(
    {},
    {
      serve: (app, { store }) => serveCorrections(app, store, corrections),
    },
  )
  const key = newKey(gateway.store)
  const { expressCustomerId } = gateway.customers.createCustomer(key, {
    expressCustomerName: 'Practice of the north',
  })
  const study = { studyDescription: 'CT', severity: 'normal' } as const
  studyService.createStudy(gateway.store, key, 'viewer', {
    ...{
      ...study,
      studyInstanceUid: OWN,
      expressCustomerId: expressCustomerId as ExpressCustomerId,
    },
  })
  for (const uid of [OWN, FOREIGN]) seedImages(gateway.store, { uid })
  linked = await gateway.signedIn('member', (user) => {
    mayManage(gateway)(user)
    gateway.customers.addCustomerUser(key, expressCustomerId, user.userId)
  })
})
afterEach(() => gateway[Symbol.asyncDispose]())

const at = `/dashboard/images/${OWN}`
const targetsOf = async (window: TestWindow) =>
  dashboardCorrections.targets.reply
    .parse((await window.call('GET', `${at}/correction-targets`)).json)
    .targets.map(({ target }) => target)

describe('a member who is linked to customers', () => {
  it('is offered their studies only, and no order of the worklist, for images that belong elsewhere', async () => {
    expect(await targetsOf(linked)).toEqual([own])
    expect(await targetsOf(await gateway.signedIn('owner'))).toEqual([order, own, foreign])
    const preview = (target: object) =>
      linked.call('POST', `${at}/corrections/preview`, { kind: 'reassign', target })
    expect(codeOf(await preview(order))).toEqual([403, 'not-permitted'])
    expect(codeOf(await preview(foreign))).toEqual([404, 'not-found'])
  })

  it('is shown no correction with the patient of a study that is not theirs', async () => {
    const shown = async (window: TestWindow) =>
      dashboardCorrections.list.reply.parse((await window.call('GET', `${at}/corrections`)).json)
        .corrections
    expect(await shown(linked)).toEqual([made[0]])
    expect(await shown(await gateway.signedIn('owner'))).toEqual(made)
  })

  it('is shown a correction of their studies while it is under way, and no other', async () => {
    made = made.map((one) => ({ ...one, progress: 0.5 }))
    const shown = async (window: TestWindow) => {
      const { status, json } = await window.call('GET', `${at}/corrections`)
      return [status, dashboardCorrections.list.reply.safeParse(json).data?.corrections]
    }
    expect(await shown(linked)).toEqual([200, [made[0]]])
    expect(await shown(await gateway.signedIn('owner'))).toEqual([200, made])
  })
})
