import { Table, Text, VisuallyHidden } from '@mantine/core'
import type { ImageStudy } from '#shared/contract/images.ts'
import { bytesText } from '../../format/amounts.ts'
import { imageCountText } from '../../format/image-states.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { Panel } from '../../ui/page.tsx'
import { Thumbnail } from '../../ui/thumbnail.tsx'
import css from './images.module.css'
import { EmptyPanel } from './quiet.tsx'
import { seriesThumbnail } from './thumbnail-addresses.ts'

const THUMBNAIL_SIZE = 64

/** The series of a study; of each, how many of its announced images are here. */
export function SeriesPanel({ study }: { study: ImageStudy }) {
  const series = study.seriesList
  if (series.length === 0)
    return <EmptyPanel title={t('ui.images.series')} text={t('ui.images.seriesNone')} />
  return (
    <Panel isFlush title={`${t('ui.images.series')} (${series.length})`}>
      <Table.ScrollContainer minWidth={560}>
        <Table className={css.rows} horizontalSpacing={16} verticalSpacing={7}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>
                <VisuallyHidden>{t('ui.images.columns.thumbnail')}</VisuallyHidden>
              </Table.Th>
              <Table.Th>{t('ui.images.seriesColumns.number')}</Table.Th>
              <Table.Th>{t('ui.images.seriesColumns.modality')}</Table.Th>
              <Table.Th>{t('ui.images.seriesColumns.description')}</Table.Th>
              <Table.Th>{t('ui.images.seriesColumns.images')}</Table.Th>
              <Table.Th>{t('ui.images.seriesColumns.size')}</Table.Th>
              <Table.Th>{t('ui.images.seriesColumns.last')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {series.map((one) => (
              <Table.Tr key={one.seriesInstanceUid}>
                <Table.Td w={THUMBNAIL_SIZE + 16} pr={0}>
                  <Thumbnail
                    address={seriesThumbnail(study, one)}
                    modalities={[one.modality]}
                    side={THUMBNAIL_SIZE}
                  />
                </Table.Td>
                <Table.Td className="tabular">{one.seriesNumber}</Table.Td>
                <Table.Td fw={600}>{one.modality}</Table.Td>
                <Table.Td title={one.seriesInstanceUid}>
                  {one.lastInstanceAt === null ? <AwaitedSeries /> : one.seriesDescription}
                </Table.Td>
                <Table.Td className="tabular nowrap">{imageCountText(one)}</Table.Td>
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

const AwaitedSeries = () => (
  <Text size="sm" c="dimmed">
    {t('ui.images.seriesAwaited')}
  </Text>
)
