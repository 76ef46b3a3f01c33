import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Problem } from '#shared/contract/conventions.ts'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { scribe } from '#shared/contract/scribe.ts'
import { newUid, type StartedInterface, startInterface } from '../../../../support/interface.ts'

let on: StartedInterface
beforeAll(async () => {
  on = await startInterface()
  for (const [at, patientName] of ['Nováková^Eva', 'Novák^Petr', 'Olsen^Per'].entries())
    await on.keys.partner.call(scribe.create, {
      body: {
        ...{
          studyInstanceUid: newUid(),
          studyDescription: 'CT Thorax',
          reportMetadata: { patientName },
        },
        severity: (['normal', 'stat', 'high'] as const)[at] ?? 'normal',
      },
    })
}, 60_000)
afterAll(() => on[Symbol.asyncDispose]())

async function listed(query: string) {
  const answer = await on.users.owner.send(`GET /dashboard/studies?area=scribe&${query}`)
  return dashboardStudies.list.reply.parse(answer.json)
}
const names = (page: Awaited<ReturnType<typeof listed>>) =>
  page.studies.map(({ patientName }) => patientName)

describe('the calls about studies', () => {
  it('list what is typed and chosen, page by page, in either order', async () => {
    expect(names(await listed(''))).toEqual(['Olsen^Per', 'Novák^Petr', 'Nováková^Eva'])
    expect(names(await listed('search=novak'))).toEqual(['Novák^Petr', 'Nováková^Eva'])
    expect(names(await listed('severity=stat&severity=high'))).toEqual(['Olsen^Per', 'Novák^Petr'])
    expect(names(await listed('severity[]=stat'))).toEqual(['Novák^Petr'])
    const first = await listed('order=priority&limit=2')
    expect(names(first)).toEqual(['Novák^Petr', 'Olsen^Per'])
    expect(names(await listed(`order=priority&limit=2&cursor=${first.cursor}`))).toEqual([
      'Nováková^Eva',
    ])
    const other = await on.users.owner.send(
      `GET /dashboard/studies?area=scribe&limit=2&cursor=${first.cursor}`,
    )
    expect([other.status, Problem.parse(other.json).code]).toEqual([400, 'malformed'])
  })

  it('count, read and keep views', async () => {
    const { call } = on.users.member
    const query = { area: 'scribe', search: 'novak', severity: ['stat'] } as const
    expect(await call(dashboardStudies.counts, { query: query as never })).toEqual({
      shown: { count: 1, isMore: false },
      hidden: { count: 1, isMore: false },
    })
    const [study] = (await listed('search=olsen')).studies
    if (!study) throw new Error('no study')
    const { moments } = await call(dashboardStudies.read, { params: { studyId: study.studyId } })
    expect(moments.map(({ what, who }) => [what, who])).toEqual([['study.create', 'Cloud RIS']])
    const body = {
      list: 'studies',
      area: 'scribe',
      name: 'Novák',
      filter: { search: 'novak' },
      order: 'newest',
      isShared: true,
    } as const
    const saved = await call(dashboardStudies.saveView, { body: body as never })
    const renamed = await call(dashboardStudies.changeView, {
      params: { savedViewId: saved.savedViewId },
      body: { name: 'N' },
    })
    expect(renamed).toEqual({ ...saved, name: 'N' })
    const { savedViews } = await on.users.manager.call(dashboardStudies.savedViews, {
      query: { list: 'studies' },
    })
    expect(savedViews).toEqual([{ ...renamed, shown: { count: 2, isMore: false } }])
    const forbidden = await on.users.manager.send(
      `DELETE /dashboard/saved-views/${saved.savedViewId}`,
    )
    expect(forbidden.status).toBe(403)
    expect(
      await call(dashboardStudies.removeView, { params: { savedViewId: saved.savedViewId } }),
    ).toEqual({ success: true })
  })

  it('list the names of those a study can be assigned to, for who manages studies', async () => {
    const { manager, member } = on.users
    const named = async (query: string) => {
      const { json } = await manager.send(`GET /dashboard/studies/assignees?${query}`)
      const { assignees } = dashboardStudies.assignees.reply.parse(json)
      // Names and ids, nothing else of the account.
      expect(json).toEqual({ assignees })
      return assignees.map(({ name }) => name)
    }
    // Who reports, and who reads; in neither list anybody whose access was revoked.
    const reporting = ['Olga Owner', 'Una admin', 'Una linked', 'Una radiologist']
    expect(await named('area=scribe')).toEqual(reporting)
    expect(await named('area=viewer')).toEqual(
      [...reporting, 'Una manager', 'Una member'].toSorted(),
    )
    expect(await named('area=scribe&search=RADIO')).toEqual(['Una radiologist'])
    expect(await named('area=scribe&search=clinic.example')).toEqual([])
    const refused = await member.send('GET /dashboard/studies/assignees?area=scribe')
    expect([refused.status, Problem.parse(refused.json).code]).toEqual([403, 'not-permitted'])
  })

  it('are for who has signed in', async () => {
    for (const path of [
      '/dashboard/studies?area=scribe',
      '/dashboard/studies/counts?area=scribe',
      '/dashboard/studies/assignees?area=scribe',
      '/dashboard/saved-views?list=studies',
    ] as const)
      expect((await on.nobody.send(`GET ${path}`)).status).toBe(401)
    expect((await on.keys.partner.send('GET /dashboard/studies?area=scribe')).status).toBe(401)
  })
})
