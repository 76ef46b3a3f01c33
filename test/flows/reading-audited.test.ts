import { expect, it } from 'vitest'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardExams } from '#shared/contract/dashboard-exams.ts'
import { dashboardStudies } from '#shared/contract/dashboard-studies.ts'
import { dashboardReports } from '#shared/contract/reports.ts'
import { startGateway } from '../support/gateway.ts'
import { newScribeStudy } from '../support/reporting-clinic.ts'

it('is in the trail for each kind of data a person looks at, and once', async () => {
  await using gateway = await startGateway()
  const { call } = gateway
  const { studyId } = await newScribeStudy(call)
  for (let times = 0; times < 3; times++) {
    await call(dashboardStudies.list, { query: { area: 'scribe' } })
    await call(dashboardStudies.read, { params: { studyId } })
    await call(dashboardReports.read, { params: { studyId } })
    await call(dashboardExams.exams, { query: {} })
  }
  const looks = async () => {
    const { entries } = await call(dashboard.audit, { query: { action: 'read.' } })
    return entries.map(({ actor, action, target }) => [actor.split(':')[0], action, target])
  }
  await expect.poll(looks, { timeout: 5000 }).toEqual([
    ['user', 'read.list', 'exams'],
    ['user', 'read.report', studyId],
    ['user', 'read.study', studyId],
    ['user', 'read.list', 'studies'],
  ])
})
