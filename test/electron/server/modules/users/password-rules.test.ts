import { describe, expect, it } from 'vitest'
import { checkPassword } from '#server/modules/users/password-rules.ts'
import { findUser, updateUser } from '#server/modules/users/queries.ts'
import { INVITED, PASSWORD, peopleFixture, person } from './people-fixture.ts'

const OWNER = {
  email: 'vera.weber@clinic.example',
  firstName: 'Vera',
  lastName: 'Weber-Novák',
  clinicName: 'North Clinic Berlin',
}

describe('a new password', () => {
  it('may be anything long that is not a common one, nor a name of its own', async () => {
    for (const good of [
      PASSWORD,
      'blue kettle ninth river',
      'Vera Weber-Novák goes home',
      'пароль как стихи',
      'isthmus of panama',
    ])
      await expect(checkPassword(good, OWNER), good).resolves.toBeUndefined()
    const refused = [
      '1234567890',
      'QWERTYUIOP',
      'Password123',
      'vera.weber@CLINIC.example',
      'veraweber',
      'Vera WeberNovák',
    ]
    const dated = [
      'Isthmus2026!',
      '2026 isthmus',
      'NorthClinicBerlin26',
      'Vera Weber-Novák 1980',
      'isthmus north clinic berlin 1',
    ]
    for (const bad of [...refused, ...dated, 'north clinic berlin', 'aaaaaaaaaaaa', 'short'])
      await expect(checkPassword(bad, OWNER), bad).rejects.toMatchObject({
        code: 'refused',
        message: expect.stringMatching(/Choose another, such as four words/),
        errors: [{ path: 'body.password' }],
      })
  })

  it('is looked at wherever one is chosen, and names its field', async () => {
    using on = peopleFixture()
    const bad = 'Password123'
    const member = {
      email: 'mia@clinic.example',
      firstName: 'Mia',
      lastName: 'Meyer',
      level: 'member',
      clinicRole: 'Other',
    } as const
    await expect(
      on.people.createUser({ ...member, password: bad }, 'command-line'),
    ).rejects.toMatchObject({ code: 'refused' })
    const { token } = on.people.createSetupLink('command-line')
    const owner = { ...member, token, password: 'miameyer12', clinicName: 'Mia Meyer 12' }
    await expect(on.people.createOwner(owner)).rejects.toMatchObject({ code: 'refused' })
    await on.people.createOwner({ ...owner, password: PASSWORD })
    const boss = await on.at('owner')
    const { link } = on.invitations.invite(boss.caller, person())
    await expect(on.invitations.accept(on.tokenOf(link), INVITED.email)).rejects.toMatchObject({
      code: 'refused',
    })
    await on.invitations.accept(on.tokenOf(link), PASSWORD)
  })

  it('leaves people theirs', async () => {
    using on = peopleFixture()
    const { userId, email } = await on.at('member')
    const record = findUser(on.store.database, userId)
    if (!record) throw new Error('no record')
    // As it was chosen before there was this rule.
    const old = await peopleHash('Password123')
    updateUser(on.store.database, { ...record, passwordHash: old })
    await expect(on.people.signIn(email, 'Password123')).resolves.toMatchObject({ user: { email } })
  })
})

async function peopleHash(password: string): Promise<string> {
  const { Passwords } = await import('#server/modules/users/password.ts')
  return new Passwords({ logN: 10, r: 8, p: 1 }).hash(password)
}
