import { expect, it } from 'vitest'
import { cacheSummaries, summaryOfStudy } from '#server/modules/forwarding/priors.ts'
import type { PriorStudy } from '#shared/contract/destinations.ts'
import { tempStore } from '../../../../support/temp-store.ts'

const study = (number: number): PriorStudy => ({
  studyInstanceUid: `1.2.${number}`,
  patientName: `Probe^${number}`,
  patientId: 'P1',
  patientBirthDate: '',
  studyDate: '20200101',
  studyTime: '',
  studyDescription: 'CT',
  accessionNumber: '',
  modalities: [],
  instances: null,
  here: 0,
})

it('remembers what each destination told last, and of so many studies only', () => {
  using temp = tempStore()
  const { database } = temp.store
  const nameOf = (number: number, destinationId = 'a') =>
    summaryOfStudy(database, destinationId, `1.2.${number}`).patientName
  cacheSummaries(database, 'a', [study(1), study(2)])
  cacheSummaries(database, 'a', [{ ...study(1), patientName: 'Newer^Nina' }])
  expect([nameOf(1), nameOf(2), nameOf(1, 'b')]).toEqual(['Newer^Nina', 'Probe^2', ''])
  cacheSummaries(
    database,
    'a',
    Array.from({ length: 999 }, (_, at) => study(at + 10)),
  )
  expect([nameOf(1), nameOf(2), nameOf(1008)]).toEqual(['Newer^Nina', '', 'Probe^1008'])
})
