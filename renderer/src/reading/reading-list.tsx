import { ActionIcon, Button, Group, SegmentedControl, TextInput, Tooltip } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconPhoto, IconReportMedical, IconSearch } from '@tabler/icons-react'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import type { ReadingStudy } from '#shared/contract/reports.ts'
import { openImages } from '../components/open-images.tsx'
import { Empty, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { PersonName } from '../components/person-name.tsx'
import { Tag } from '../components/tone.tsx'
import { type Column, VirtualTable } from '../components/virtual-table.tsx'
import { numberText } from '../display/amounts.ts'
import { dayText } from '../display/dates.ts'
import { AssignMenu } from './assign-menu.tsx'
import css from './reading.module.css'
import { SeverityTag, StatusTags } from './study-tags.tsx'
import { ReadingTabs } from './tabs.tsx'
import { SHOWS, type Show, useReadingStudies } from './use-reading-studies.ts'
import { type RowActions, useRowKeys } from './use-row-keys.ts'
import { WINDOW_ID } from './window-drafts.ts'
import { words } from './words.ts'

const route = getRouteApi('/shell/reading')
const { list: texts } = words

const columns: readonly Column<ReadingStudy>[] = [
  { name: texts.columns.severity, track: '66px', cell: ({ severity }) => <SeverityTag severity={severity} /> },
  {
    name: texts.columns.patient,
    track: 'minmax(118px, 1.4fr)',
    cell: ({ studyId, reportMetadata: { patientName, mrn } }) => (
      <>
        <Link to="/reading/$studyId" params={{ studyId }} data-row={studyId}>
          {patientName ? <PersonName value={patientName} /> : words.banner.noName}
        </Link>
        <div className={`mono ${css.under}`}>{mrn}</div>
      </>
    ),
  },
  { name: texts.columns.study, track: 'minmax(90px, 1.6fr)', cell: ({ studyDescription }) => studyDescription },
  {
    name: texts.columns.scanned,
    track: '88px',
    cell: ({ reportMetadata: { scanDate, scanTime } }) => (
      <>
        {scanDate && <span className="tabular nowrap">{dayText(scanDate)}</span>}
        <div className={`tabular ${css.under}`}>{scanTime}</div>
      </>
    ),
  },
  { name: texts.columns.images, track: '92px', cell: (study) => <Images study={study} /> },
  {
    name: texts.columns.status,
    track: 'minmax(104px, 1.3fr)',
    cell: (study) => (
      <span className={css.tags}>
        <StatusTags study={study} />
        <Lock study={study} />
      </span>
    ),
  },
  { name: texts.columns.assigned, track: 'minmax(122px, 1.1fr)', cell: (study) => <AssignMenu study={study} size="compact-xs" /> },
]

const ROW_ACTIONS: RowActions = { i: (studyId) => void openImages({ studyId: studyId as ReadingStudy['studyId'] }) }

function Images({ study: { studyId, studyDescription, images } }: { study: ReadingStudy }) {
  if (images === null) return <span className={css.under}>{texts.noImages}</span>
  return (
    <Group gap={4} wrap="nowrap" align="flex-start">
      <Tooltip label={texts.openImages}>
        <ActionIcon size="sm" aria-label={texts.openImagesOf(studyDescription)} onClick={() => void openImages({ studyId })}>
          <IconPhoto size={16} stroke={1.7} />
        </ActionIcon>
      </Tooltip>
      <div>
        <span className="tabular">{numberText(images.instances)}</span>
        {images.isReceiving && <div className={css.under}>{texts.receiving}</div>}
      </div>
    </Group>
  )
}

function Lock({ study: { lock } }: { study: ReadingStudy }) {
  if (lock === null) return null
  if (lock.windowId === WINDOW_ID) return <Tag tone="info">{texts.youWrite}</Tag>
  return (
    <Tag tone="warning" isWrapped>
      {texts.writing(lock.name)}
    </Tag>
  )
}

/** Studies for reporting. */
export function ReadingList() {
  const chosen = route.useSearch().show
  const show: Show = SHOWS.find((one) => one === chosen) ?? 'open'
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), 300)
  const { list, studies, more } = useReadingStudies(show, search)
  const choose = (value: string) => void navigate({ to: '/reading', search: value === 'open' ? {} : { show: value }, replace: true })
  const place = useRef<HTMLDivElement>(null)
  useRowKeys(place, ROW_ACTIONS)

  return (
    <Page title={texts.title} about={texts.about} isFull>
      <ReadingTabs />
      <Group gap={12}>
        <SegmentedControl
          size="xs"
          aria-label={texts.showLabel}
          value={show}
          onChange={choose}
          data={SHOWS.map((value) => ({ value, label: texts.shows[value] }))}
        />
        <TextInput
          className={css.search}
          aria-label={texts.search}
          placeholder={texts.searchWhat}
          maxLength={200}
          leftSection={<IconSearch size={16} />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        {studies.length > 0 && <span className={css.quiet}>{texts.keys}</span>}
      </Group>
      {list.isError && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Waiting rows={10} height={46} />}
      {list.isSuccess && studies.length === 0 && (
        <Panel>
          <None
            show={show}
            isSearched={search !== ''}
            onClear={() => {
              setTyped('')
              choose('open')
            }}
          />
        </Panel>
      )}
      {studies.length > 0 && (
        <div className="grow" ref={place}>
          <Panel isFlush className="grow">
            <VirtualTable
              label={texts.label}
              columns={columns}
              rows={studies}
              keyOf={({ studyId }) => studyId}
              least={760}
              maxHeight="100%"
              onOpen={({ studyId }) => void navigate({ to: '/reading/$studyId', params: { studyId } })}
              onEnd={more}
              end={list.hasNextPage ? texts.more : texts.last}
            />
          </Panel>
        </div>
      )}
    </Page>
  )
}

function None({ show, isSearched, onClear }: { show: Show; isSearched: boolean; onClear: () => void }) {
  const icon = <IconReportMedical size={34} stroke={1.3} />
  if (!isSearched && show === 'all') {
    return (
      <Empty icon={icon} title={texts.none}>
        {texts.noneText}
      </Empty>
    )
  }
  return (
    <Empty
      icon={icon}
      title={isSearched ? texts.noneFiltered : texts.noneShow[show]}
      action={
        (isSearched || show !== 'open') && (
          <Button variant="default" onClick={onClear}>
            {texts.clear}
          </Button>
        )
      }
    >
      {isSearched ? texts.noneFilteredText : texts.noneText}
    </Empty>
  )
}
