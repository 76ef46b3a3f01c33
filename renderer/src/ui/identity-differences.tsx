import { Table, Title } from '@mantine/core'
import type { IdentityDifference } from '#shared/contract/images.ts'
import { dayText } from '../format/dates.ts'
import { type IdentityRow, type IdentityTable, identityTables } from '../format/identity-rows.ts'
import { IDENTITY_NAMES, sexText } from '../format/image-states.ts'
import { t } from '../i18n/t.ts'
import css from './identity-differences.module.css'
import { PersonName } from './person-name.tsx'

/** What was expected beside what the images say, one table for each source of the comparison. */
export function IdentityDifferences({
  differences,
}: {
  differences: readonly IdentityDifference[]
}) {
  return identityTables(differences).map((table) => <Differences key={table.from} {...table} />)
}

function Differences({ from, rows }: IdentityTable) {
  return (
    <section className={css.source} aria-label={t(`ui.common.identity.sources.${from}.title`)}>
      <Title order={2} size="h3">
        {t(`ui.common.identity.sources.${from}.title`)}
      </Title>
      <Table className={css.rows} verticalSpacing={4} layout="fixed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th w={150}>{t('ui.common.identity.field')}</Table.Th>
            <Table.Th>{t(`ui.common.identity.sources.${from}.expected`)}</Table.Th>
            <Table.Th>{t(`ui.common.identity.sources.${from}.received`)}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={`${row.field} ${row.expected}`}>
              <Table.Th scope="row" fw={500}>
                {IDENTITY_NAMES[row.field]}
              </Table.Th>
              <Table.Td className={css.differs}>
                <IdentityValue field={row.field} value={row.expected} />
              </Table.Td>
              <Table.Td className={css.differs}>
                {row.received.map((value) => (
                  <div key={value}>
                    <IdentityValue field={row.field} value={value} />
                  </div>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}

/** A value of a DICOM attribute of the identity, as a person reads it. */
export function IdentityValue({ field, value }: { field: IdentityRow['field']; value: string }) {
  if (value === '') return <span className={css.missing}>{t('ui.common.identity.missing')}</span>
  if (field === 'patientName') return <PersonName value={value} />
  if (field === 'patientBirthDate') return dayText(value)
  if (field === 'patientSex') return sexText(value)
  return <span className={`mono ${css.code}`}>{value}</span>
}
