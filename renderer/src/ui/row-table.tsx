import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

/**
 * A short list as a table of `Table.Tr`. The column `actions` has what can be done with a row.
 */
export const RowTable = (props: {
  columns: Readonly<Record<string, string>>
  minWidth: number
  children: ReactNode
}) => (
  <Table.ScrollContainer minWidth={props.minWidth}>
    <Table
      horizontalSpacing={16}
      verticalSpacing={7}
      highlightOnHover
      highlightOnHoverColor="var(--hover)"
    >
      <Table.Thead>
        <Table.Tr>
          {Object.entries(props.columns).map(([key, name]) => (
            <Table.Th key={key} {...(key === 'actions' && { ta: 'right' })}>
              {name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>{props.children}</Table.Tbody>
    </Table>
  </Table.ScrollContainer>
)
