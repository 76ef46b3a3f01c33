import { Table, Text } from '@mantine/core'
import type { ImageSeries } from '#shared/contract/images.ts'
import { Clock } from '../components/clock.tsx'
import { Panel } from '../components/page.tsx'
import { bytesText } from '../display/amounts.ts'
import { countOf } from '../display/image-states.ts'
import css from './images.module.css'
import { Quiet } from './quiet.tsx'
import { words } from './words.ts'

/** The series of a study; of each, how many of its announced images are here. */
export function SeriesPanel({ series }: { series: readonly ImageSeries[] }) {
  const { seriesColumns: columns } = words
  if (series.length === 0) return <Quiet title={words.series} text={words.seriesNone} />
  return (
    <Panel isFlush title={`${words.series} (${series.length})`}>
      <Table.ScrollContainer minWidth={560}>
        <Table className={css.rows} horizontalSpacing={16} verticalSpacing={7}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{columns.number}</Table.Th>
              <Table.Th>{columns.modality}</Table.Th>
              <Table.Th>{columns.description}</Table.Th>
              <Table.Th>{columns.images}</Table.Th>
              <Table.Th>{columns.size}</Table.Th>
              <Table.Th>{columns.last}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {series.map((one) => (
              <Table.Tr key={one.seriesInstanceUid}>
                <Table.Td className="tabular">{one.seriesNumber}</Table.Td>
                <Table.Td fw={600}>{one.modality}</Table.Td>
                <Table.Td title={one.seriesInstanceUid}>
                  {one.lastInstanceAt === null ? <Awaited /> : one.seriesDescription}
                </Table.Td>
                <Table.Td className="tabular nowrap">{countOf(one)}</Table.Td>
                <Table.Td className="tabular nowrap">
                  {one.lastInstanceAt && bytesText(one.bytes)}
                </Table.Td>
                <Table.Td className="nowrap">
                  {one.lastInstanceAt && <Clock instant={one.lastInstanceAt} />}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Panel>
  )
}

const Awaited = () => (
  <Text size="sm" c="dimmed">
    {words.seriesAwaited}
  </Text>
)
