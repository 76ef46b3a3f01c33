import { describe, expect, it } from 'vitest'
import type { Person } from '#shared/contract/dashboard-people.ts'
import { dashboardPeople } from '#shared/contract/dashboard-people.ts'
import {
  bodyOf,
  type PersonValues,
  usualRights,
  valuesOf,
} from '../../../../renderer/src/features/users/user-values.ts'
import { contractFaults } from '../../../../renderer/src/ui/use-contract-form.ts'

const values: PersonValues = {
  ...valuesOf(null),
  email: 'maja@clinic.example',
  firstName: 'Maja',
  lastName: 'Novák',
  clinicRole: 'Other',
}
const known = { phoneNumber: '+420 1' } as Person

describe('what is sent of a person', () => {
  it('leaves out of an invitation what is empty', () => {
    expect(bodyOf({ ...values, middleName: ' Eva ' }, null)).toEqual({
      ...{
        email: 'maja@clinic.example',
        firstName: 'Maja',
        lastName: 'Novák',
        middleName: 'Eva',
        clinicRole: 'Other',
      },
      ...{
        level: 'member',
        hasDashboardAccess: true,
        canManageStudies: false,
        canCreateReports: false,
      },
    })
  })

  it('clears by a change what was known, and never changes the address', () => {
    const body = bodyOf(values, known)
    expect(body).toMatchObject({ phoneNumber: null })
    expect(body).not.toHaveProperty('middleName')
    expect(body).not.toHaveProperty('email')
  })

  it('asks for a role: nobody is given one that was not chosen', async () => {
    const faultsOf = (change: object) =>
      contractFaults(dashboardPeople.invitePerson, bodyOf({ ...values, ...change }, null))
    expect(await faultsOf({})).toEqual({})
    expect(Object.keys(await faultsOf({ clinicRole: null }))).toEqual(['clinicRole'])
  })
})

it('proposes the rights that a role usually has', () => {
  expect(usualRights('Radiologist')).toEqual({ canManageStudies: false, canCreateReports: true })
  expect(usualRights('Front Desk Operator')).toEqual({
    ...{ canManageStudies: true, canCreateReports: false },
  })
  expect(usualRights('Registered Nurse')).toEqual({
    ...{ canManageStudies: false, canCreateReports: false },
  })
})
