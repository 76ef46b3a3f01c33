import { Table, VisuallyHidden } from '@mantine/core'
import type { CorrectionPreview } from '#shared/contract/corrections.ts'
import type { IdentityDifference } from '#shared/contract/images.ts'
import { IDENTITY_NAMES } from '../../format/image-states.ts'
import { t } from '../../i18n/t.ts'
import { IdentityValue } from '../../ui/identity-differences.tsx'
import css from './resolve.module.css'

type Changes = CorrectionPreview['changes']

const isChange = ({ before, after }: Changes[number]) => before.length !== 1 || before[0] !== after

/** What images say before and after a correction, side by side; what differs is marked. */
export function ChangesTable(props: {
  changes: Changes
  names: { before: string; after: string }
  emptyUid?: string
}) {
  const { changes, names, emptyUid = t('ui.images.correction.missing') } = props
  const after = (field: IdentityDifference['field'], value: string) =>
    field === 'studyInstanceUid' && value === '' ? (
      emptyUid
    ) : (
      <IdentityValue field={field} value={value} />
    )
  return (
    <Table className={css.changes} layout="fixed" verticalSpacing={6}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w="24%">{t('ui.images.correction.check.field')}</Table.Th>
          <Table.Th>{names.before}</Table.Th>
          <Table.Th>{names.after}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {changes.map((change) => (
          <Table.Tr key={change.field} data-changed={isChange(change)}>
            <Table.Th scope="row" fw={500}>
              {IDENTITY_NAMES[change.field]}
              {isChange(change) && (
                <VisuallyHidden> ({t('ui.images.correction.check.changed')})</VisuallyHidden>
              )}
            </Table.Th>
            <Table.Td>
              {change.before.map((value) => (
                <div key={value}>
                  <IdentityValue field={change.field} value={value} />
                </div>
              ))}
            </Table.Td>
            <Table.Td>{after(change.field, change.after)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
