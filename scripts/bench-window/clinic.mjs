// A clinic of many studies, all of it invented, in a data folder of its own.
import { randomUUID } from 'node:crypto'
import { openContext } from '../../electron/server/context.ts'
import { insertCustomer, listCustomers } from '../../electron/server/modules/customers/queries.ts'
import { insertStudy } from '../../electron/server/modules/studies/study-writing-queries.ts'
import { openAccounts } from '../../electron/server/modules/users/people.ts'
import { userByEmail } from '../../electron/server/modules/users/queries.ts'

export const PERSON = { email: 'bench@clinic.example', password: 'a long sentence for the bench' }

const FAMILY = [
  'Garcia',
  'Rossi',
  'Müller',
  'Novak',
  'Silva',
  'Ivanova',
  'Haddad',
  'Nguyen',
  'Okafor',
  'Lindqvist',
  'Papadakis',
  'Moreau',
]
const SYLLABLES = [
  'ba',
  'le',
  'ro',
  'kin',
  'mar',
  'tu',
  'sen',
  'vi',
  'do',
  'ra',
  'lo',
  'pe',
  'gar',
  'nu',
  'ski',
  'ten',
  'fa',
  'wi',
  'zo',
  'he',
]
const GIVEN = [
  'Ana',
  'Luis',
  'Marta',
  'Jonas',
  'Lucía',
  'Peter',
  'Amina',
  'Tomás',
  'Chiara',
  'Olga',
  'Ravi',
  'Yuki',
]
const EXAMS = [
  'CT Thorax',
  'MR Knie',
  'US Abdomen',
  'XR Hand',
  'CT Schädel',
  'MR Lendenwirbelsäule',
  'MG Screening',
  'CT Abdomen und Becken',
]
const STATUSES = [
  'unassigned',
  'assigned',
  'in_progress',
  'completed',
  'completed',
  'completed',
  'completed',
]

function nameOf(index, studies) {
  if (index % Math.ceil(studies / 10) === 7) return `Zyskowski^${GIVEN[index % 12]}`
  if (index % 500 === 3) return `Yamada^Tarou=山田^太郎=やまだ^たろう`
  const at = (index * 7919) % 8000
  const made =
    SYLLABLES[at % 20] + SYLLABLES[Math.floor(at / 20) % 20] + SYLLABLES[Math.floor(at / 400)]
  const family = index % 5 === 0 ? FAMILY[(index / 5) % 12] : made[0].toUpperCase() + made.slice(1)
  return `${family}^${GIVEN[Math.floor(index / 3) % 12]}`
}

/** Fills a data folder, newest last; one transaction for each 10,000. */
export async function seed(folder, studies) {
  const started = Date.now()
  using store = openContext({ folder })
  const known = userByEmail(store.database, PERSON.email)
  if (known)
    return {
      userId: known.userId,
      customerId: listCustomers(store.database, { limit: 1 }).items[0].expressCustomerId,
    }
  const person = {
    ...PERSON,
    firstName: 'Bench',
    lastName: 'Person',
    level: 'owner',
    clinicRole: 'Radiologist',
  }
  const { userId } = await openAccounts(store).createUser(person, 'command-line')
  store.settings.set('setup.isDone', true)
  const at = new Date(started).toISOString()
  const maker = { createdByApiKeyId: null, createdByUserId: userId }
  const customers = Array.from({ length: 20 }, (_, index) => {
    const expressCustomerId = `cus_${hex()}`
    const made = { isActive: true, createdAt: at, updatedAt: at, ...maker, metadata: undefined }
    insertCustomer(store.database, {
      expressCustomerId,
      expressCustomerName: `Clinic ${index}`,
      ...made,
    })
    return expressCustomerId
  })
  for (let first = 0; first < studies; first += 10_000)
    store.database.transaction(() => {
      for (let index = first; index < Math.min(first + 10_000, studies); index++)
        insertStudy(store.database, studyOf(index, studies, started, userId, customers, maker))
    })
  const seconds = (Date.now() - started) / 1000
  console.log(
    `${studies} studies in ${seconds.toFixed(0)} s: ${((seconds / studies) * 1000).toFixed(3)} ms each`,
  )
  return { userId, customerId: customers[10] }
}

function studyOf(index, studies, now, userId, customers, maker) {
  const at = new Date(now - (studies - index) * 60_000).toISOString()
  const mrn = String((index * 9973) % 10_000_000).padStart(7, '0')
  const status = STATUSES[index % 7]
  return {
    area: 'scribe',
    studyId: `stu_${hex()}`,
    studyInstanceUid: `1.2.826.0.1.3680043.10.999.${now}.${index}`,
    studyDescription: `${EXAMS[index % 8]} ${index % 2 ? 'with contrast' : 'plain'}`,
    severity: index % 50 === 0 ? 'stat' : index % 11 === 0 ? 'high' : 'normal',
    status,
    cancelledAt: index % 29 === 0 ? at : null,
    createdAt: at,
    updatedAt: at,
    assignedTo: status === 'unassigned' ? null : userId,
    expressCustomerId: index % 3 === 0 ? null : customers[index % 20],
    ...maker,
    detail: {
      reportMetadata: {
        patientName: nameOf(index, studies),
        mrn,
        dateOfBirth: `1961-04-0${1 + (index % 9)}`,
        sex: index % 2 ? 'female' : 'male',
        scanType: 'CT',
      },
      externalPatientId: `a${String(index).padStart(8, '0')}`,
    },
  }
}
const hex = () => randomUUID().replaceAll('-', '')
