import { expect, it } from 'vitest'
import { openFoundStudies } from '#server/modules/forwarding/priors.ts'
import type { PriorStudy } from '#shared/contract/destinations.ts'

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
  const found = openFoundStudies({ imageStudies: { get: () => undefined } as never })
  const nameOf = (number: number, destinationId = 'a') =>
    found.about(destinationId, `1.2.${number}`).patientName
  found.remember('a', [study(1), study(2)])
  found.remember('a', [{ ...study(1), patientName: 'Newer^Nina' }])
  expect([nameOf(1), nameOf(2), nameOf(1, 'b')]).toEqual(['Newer^Nina', 'Probe^2', ''])
  found.remember(
    'a',
    Array.from({ length: 999 }, (_, at) => study(at + 10)),
  )
  expect([nameOf(1), nameOf(2), nameOf(1008)]).toEqual(['Newer^Nina', '', 'Probe^1008'])
})
