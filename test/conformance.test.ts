import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isStorageClass } from '#server/dicom/data-set/storage-uids.ts'
import { SOP_CLASS } from '#server/dicom/data-set/uids.ts'
import { MAX_STUDIES } from '#server/dicom/scu/query.ts'
import { DEFAULT_LIMITS } from '#server/dicom/upper-layer/limits.ts'
import { ROW_KEYWORDS } from '#server/modules/worklist/attributes.ts'
import { SETTINGS } from '#shared/contract/settings.ts'
import { proposals } from '../scripts/docs/calling.ts'
import { DOCS, DOCUMENTS, documentPath, pagesOf } from '../scripts/docs/documents.ts'
import { filled, marksIn, table } from '../scripts/docs/markdown.ts'
import { MADE_KINDS, made } from '../scripts/docs/objects.ts'
import { STORAGE_CLASSES, TRANSFER_SYNTAXES } from '../scripts/docs/registry.ts'
import { SERVICES, syntaxName } from '../scripts/docs/services.ts'
import { TABLES } from '../scripts/docs/tables.ts'
import { FIELDS, suppliersOf } from '../scripts/docs/worklist.ts'

const root = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(documentPath(name), 'utf8')
const STATEMENT = pagesOf('CONFORMANCE.md')
const statement = STATEMENT.map(read).join('\n')

describe('the documents for engineers', () => {
  it.each(DOCUMENTS)(
    '%s says in its tables what the code says: npm run docs makes them anew',
    async (name) => {
      const text = read(name)
      expect(await filled(text, TABLES)).toBe(text)
    },
  )

  it('have every table that is made, and each of the statement once', () => {
    const used = DOCUMENTS.flatMap((name) => marksIn(read(name)))
    expect(Object.keys(TABLES).filter((name) => !used.includes(name))).toEqual([])
    const stated = marksIn(statement)
    expect(stated.filter((name, at) => stated.indexOf(name) !== at)).toEqual([])
  })

  it('have rows in every table, as wide as their heads, and no value that is nothing', async () => {
    for (const [name, make] of Object.entries(TABLES)) {
      const [head = '', , ...rows] = (await make()).split('\n')
      expect([name, rows.length > 0]).toEqual([name, true])
      const width = (row: string) => row.split(/(?<!\\)\|/).length
      expect([name, rows.filter((row) => width(row) !== width(head))]).toEqual([name, []])
      expect([name, rows.filter((row) => /undefined|\[object|NaN/.test(row))]).toEqual([name, []])
    }
  })

  it('name no section that is not there', () => {
    const headings = [...statement.matchAll(/^#{2,4} ([\dA-E][\d.]*) /gm)].map(
      ([, number]) => number,
    )
    for (const name of DOCUMENTS) {
      const named = [...read(name).matchAll(/\b[Ss]ection (\d(?:\.\d+)*)/g)].map(
        ([, number]) => number,
      )
      if (STATEMENT.includes(name))
        expect(named.filter((number) => !headings.includes(number))).toEqual([])
    }
  })

  it('are checked, and made, by a command', () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [join(root, 'scripts/docs/main.ts'), '--check'],
      { encoding: 'utf8' },
    )
    expect([status, stdout]).toEqual([0, 'All generated tables and pages are up to date.\n'])
  })
})

describe('a marked table', () => {
  const tables = { one: () => table(['a', 'b'], [['1', 'x | y']]) }
  it('is made anew, and nothing else of the document', async () => {
    const text = '# T\n\n<!-- table: one -->\nold\n<!-- end -->\n\nText $1 $& stays.\n'
    const once = await filled(text, tables)
    expect(once).toBe(
      '# T\n\n<!-- table: one -->\n| a | b |\n|---|---|\n| 1 | x \\| y |\n<!-- end -->\n\nText $1 $& stays.\n',
    )
    expect(await filled(once, tables)).toBe(once)
  })

  it.each([
    ['a mark without an end', '<!-- table: one -->\n'],
    ['an end without a mark', '<!-- end -->\n'],
    ['a table that nobody makes', '<!-- table: two -->\n<!-- end -->\n'],
    ['a name of the prototype', '<!-- table: constructor -->\n<!-- end -->\n'],
  ])('is refused where there is %s', async (_, text) => {
    await expect(filled(text, tables)).rejects.toThrow(RangeError)
  })
})

describe('the conformance statement', () => {
  it('is in the order of PS3.2 Annex N', () => {
    const sections = [...statement.matchAll(/^## (\d) (.+)$/gm)].map(
      ([, number, name]) => `${number} ${name}`,
    )
    expect(sections).toEqual([
      ...[
        '1 Overview',
        '2 Table of contents',
        '3 Introduction',
        '4 Implementation model',
        '5 Service and interoperability description',
      ],
      ...[
        '6 Configuration',
        '7 Network and media communication details',
        '8 Security',
        '9 Annexes',
      ],
    ])
    const contents = statement.split('## 2 Table of contents')[1]?.split('## 3')[0] ?? ''
    const listed = contents.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    for (const section of sections) expect(listed).toContain(`${section[0]}. ${section.slice(2)}`)
  })

  it('links to all of its pages', () => {
    const pages = readdirSync(join(DOCS, 'conformance')).map((file) => `conformance/${file}`)
    expect(STATEMENT.slice(1).toSorted()).toEqual(pages.toSorted())
  })

  it('is of this version of the product', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      version: string
    }
    for (const name of ['CONFORMANCE.md', 'INTEGRATION.md'] as const)
      expect(read(name)).toContain(version)
  })

  it('names every SOP class that is known here in the roles it has', () => {
    const rows = statement.split('<!-- table: sop-classes -->')[1]?.split('<!-- end -->')[0] ?? ''
    const rolesOf = (uid: string) =>
      rows
        .split('\n')
        .find((row) => row.includes(` ${uid} |`))
        ?.split(' | ')
        .slice(2)
        .map((cell) => cell.replace(/[:,|].*/, '').trim())
    expect(rolesOf(SOP_CLASS.verification)).toEqual(['Yes', 'Yes'])
    expect(rolesOf(SOP_CLASS.modalityWorklistFind)).toEqual(['Yes', 'Yes'])
    expect(rolesOf(SOP_CLASS.modalityPerformedProcedureStep)).toEqual(['No', 'Yes'])
    expect(rolesOf(SOP_CLASS.storageCommitmentPushModel)).toEqual(['Yes', 'Option'])
    expect(rolesOf(SOP_CLASS.studyRootFind)).toEqual(['Yes', 'Yes'])
    expect(rolesOf(SOP_CLASS.studyRootMove)).toEqual(['Yes', 'Yes'])
    expect(rolesOf(SOP_CLASS.patientRootGet)).toEqual(['No', 'Yes'])
  })

  it('lists storage classes that are taken, and those that its words leave out are not', () => {
    expect(
      STORAGE_CLASSES.filter(({ uid }) => !isStorageClass(uid, false)).map(({ uid }) => uid),
    ).toEqual([])
    for (const last of [4, 5, 6])
      expect(isStorageClass(`1.2.840.10008.5.1.4.1.1.200.${last}`, true)).toBe(false)
    const elsewhere = STORAGE_CLASSES.filter(
      ({ uid }) => !uid.startsWith('1.2.840.10008.5.1.4.1.1.'),
    )
    expect(elsewhere).toHaveLength(5)
    expect(new Set(STORAGE_CLASSES.map(({ uid }) => uid)).size).toBe(STORAGE_CLASSES.length)
  })

  it('has a name for every transfer syntax that is taken, and none for those it says are refused', () => {
    for (const { transferSyntaxes } of Object.values(SERVICES))
      for (const uid of transferSyntaxes)
        expect([uid, syntaxName(uid) === uid]).toEqual([uid, false])
    const refused = TRANSFER_SYNTAXES.filter(
      ({ uid }) => !SERVICES.storage.transferSyntaxes.includes(uid),
    )
    expect(refused.map(({ name }) => name)).toEqual(['JPIP Referenced', 'JPIP Referenced Deflate'])
  })

  it('gives as defaults what the acceptor is opened with', () => {
    const { associations, associationsPerCaller, artimSeconds, idleSeconds } = DEFAULT_LIMITS
    expect([associations, associationsPerCaller, artimSeconds, idleSeconds]).toEqual([
      SETTINGS['dimse.maxAssociations'].initial,
      SETTINGS['dimse.maxAssociationsPerDevice'].initial,
      SETTINGS['dimse.artimSeconds'].initial,
      SETTINGS['dimse.idleSeconds'].initial,
    ])
    expect(statement).toContain(`accepts at most ${MAX_STUDIES} matches`)
  })

  it('says of what is proposed what a listener heard', async () => {
    const heard = await proposals()
    const roles = heard
      .filter(({ request }) => request.user.roles.some(({ scp }) => scp))
      .map(({ what }) => what)
    expect(roles).toEqual(['N-EVENT-REPORT of storage commitment'])
    // A file's own transfer syntax stands first, by itself.
    const stored =
      heard.find(({ what }) => what.startsWith('C-STORE'))?.request.presentationContexts ?? []
    expect(stored.map(({ transferSyntaxes }) => transferSyntaxes.length)).toEqual([1, 1, 1])
    for (const { request } of heard)
      expect(request.user.implementationVersionName).toBe('ISTHMUS_0_1')
  })

  it('finds where each value of a row comes from', () => {
    expect(suppliersOf('RequestedProcedureID')).toEqual({
      fields: ['item.AccessionNumber', 'step.ScheduledProcedureStepID'],
      otherwise: 'derived from the Study Instance UID, always the same',
    })
    expect(suppliersOf('PatientID')).toEqual({
      fields: ['item.PatientID'],
      otherwise: 'the row is withheld: it has no PatientID',
    })
    expect(suppliersOf('ScheduledProcedureStepStartTime').otherwise).toBe('000000')
    const used = new Set(ROW_KEYWORDS.flatMap((keyword) => suppliersOf(keyword).fields))
    expect(FIELDS.filter((field) => !used.has(field))).toEqual([])
  })

  it('shows objects that are made by the code that makes them, the same each time', () => {
    for (const kind of MADE_KINDS) {
      const [one = [], other = [], sparse = []] = made(kind)
      expect(one.length).toBeGreaterThan(25)
      expect(sparse.length).toBeLessThanOrEqual(other.length)
      expect(made(kind)).toEqual([one, other, sparse])
    }
  })
})
