import { Group, SegmentedControl } from '@mantine/core'
import { IconPlus, IconUsers } from '@tabler/icons-react'
import { useCallback, useRef, useState } from 'react'
import { dashboardPeople, PEOPLE_FILTERS, type Person } from '#shared/contract/dashboard-people.ts'
import { usePages } from '../../api/pages.ts'
import { call, keyOf } from '../../api/queries.ts'
import { t, textsOf } from '../../i18n/t.ts'
import { PermissionButton } from '../../ui/allowed.tsx'
import { FormDrawer } from '../../ui/form-drawer.tsx'
import { ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { EmptyList } from '../../ui/paged-table.tsx'
import { SearchField, useTypedSearch } from '../../ui/search-field.tsx'
import { useShortcuts } from '../../ui/shortcuts.ts'
import { OneTimeValueDialog } from '../../ui/shown-once.tsx'
import { Notice } from '../../ui/tone.tsx'
import { showDone } from '../../ui/undo.tsx'
import { type InvitationReply, usePersonChanges } from './changes.ts'
import { PersonActionDialog, type PersonQuestion } from './confirm-user-action.tsx'
import { MailPanel } from './mail.tsx'
import type { PersonAction } from './state.ts'
import { PersonDetails } from './user-drawer.tsx'
import { PersonForm } from './user-form.tsx'
import { nameOf } from './user-values.ts'
import css from './users.module.css'
import { PeopleTable } from './users-table.tsx'

const PAGE_SIZE = 100
/** What was done is said at the bottom: the last buttons can be scrolled above it. */
const NOTICE_CLEARANCE = { body: { paddingBottom: 80 } }
type PeopleFilter = (typeof PEOPLE_FILTERS)[number]
type Opened = { readonly person: Person } | { readonly like: Person | null }

/**
 * Until the public URL is set, links lead to the PC they are opened on.
 */
const isLoopback = (link: string) => /^(127\.|localhost$|\[::1\]$)/.test(new URL(link).hostname)

/** Users and invited people, and how invitations are sent. */
export function People() {
  const { typed, setTyped, search } = useTypedSearch()
  const [show, setShow] = useState<PeopleFilter>('all')
  const listed = usePeople(search, show)
  const [opened, setOpened] = useState<Opened | null>(null)
  const [asked, setAsked] = useState<PersonQuestion | null>(null)
  const [link, setLink] = useState<string | null>(null)
  const { renew, reactivate } = usePersonChanges()
  const searchInput = useRef<HTMLInputElement>(null)
  const invite = () => setOpened({ like: null })
  useShortcuts(t('ui.users.title'), [
    { keys: '/', name: t('ui.users.search'), run: () => searchInput.current?.select() },
    { keys: 'n', name: t('ui.users.invite'), run: invite },
  ])

  const tell = useCallback(({ person, link: made }: InvitationReply) => {
    if (made === null) showDone(t('ui.users.invited', { email: person.email }))
    else setLink(made)
  }, [])
  function act(action: PersonAction, person: Person) {
    if (action === 'edit') setOpened({ person })
    else if (action === 'again') setOpened({ like: person })
    else if (action === 'link') renew(person, tell)
    else if (action === 'reactivate') reactivate(person)
    else setAsked({ kind: action, person })
  }
  const showAll = () => {
    setTyped('')
    setShow('all')
  }

  return (
    <Page
      title={t('ui.users.title')}
      about={t('ui.users.about')}
      actions={
        <PermissionButton
          permission="manageUsers"
          leftSection={<IconPlus size={16} />}
          onClick={invite}
        >
          {t('ui.users.invite')}
        </PermissionButton>
      }
    >
      <Group gap={12}>
        <SegmentedControl
          size="xs"
          aria-label={t('ui.users.showLabel')}
          value={show}
          onChange={setShow}
          data={PEOPLE_FILTERS.map((value) => ({ value, label: t(`ui.users.shows.${value}`) }))}
        />
        <SearchField
          ref={searchInput}
          className={css.search}
          label={t('ui.users.search')}
          placeholder={t('ui.users.searchWhat')}
          maxLength={100}
          value={typed}
          onChange={setTyped}
        />
      </Group>
      <PeopleList listed={listed} search={search} show={show} onAct={act} onShowAll={showAll} />
      <MailPanel />
      <PersonDrawer
        opened={opened}
        people={listed.people}
        onInvited={tell}
        onAsk={setAsked}
        onDone={() => setOpened(null)}
      />
      {asked && <PersonActionDialog {...asked} onDone={() => setAsked(null)} />}
      <OneTimeValueDialog
        value={link}
        {...textsOf('ui.users.shown', 'title', 'about', 'done')}
        what={t('ui.users.theLink')}
        onClose={() => setLink(null)}
      >
        {link !== null && isLoopback(link) && (
          <Notice tone="warning">{t('ui.users.loopback')}</Notice>
        )}
      </OneTimeValueDialog>
    </Page>
  )
}

function usePeople(search: string, show: PeopleFilter) {
  const query = { limit: PAGE_SIZE, search, show }
  const { list, pages, more } = usePages(keyOf(dashboardPeople.people, query), (part, signal) =>
    call(dashboardPeople.people, { query: { ...query, ...part } }, signal),
  )
  return { list, people: pages.flatMap((page) => page.people), more }
}

interface PeopleListProps {
  readonly listed: ReturnType<typeof usePeople>
  readonly search: string
  readonly show: PeopleFilter
  readonly onAct: (action: PersonAction, person: Person) => void
  readonly onShowAll: () => void
}

function PeopleList({
  listed: { list, people, more },
  search,
  show,
  onAct,
  onShowAll,
}: PeopleListProps) {
  const [title, text] =
    search === ''
      ? [t(`ui.users.none.${show}.label`), t(`ui.users.none.${show}.description`)]
      : [t('ui.users.noneFound'), t('ui.users.noneFoundText')]
  const isNarrowed = search !== '' || show !== 'all'
  return (
    <>
      {list.isPending && <LoadingPlaceholder rows={6} height={44} />}
      {list.isError && <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && people.length === 0 && (
        <EmptyList
          icon={IconUsers}
          title={title}
          text={text}
          clear={isNarrowed ? { name: t('ui.users.clear'), run: onShowAll } : undefined}
        />
      )}
      {people.length > 0 && (
        <Panel isFlush className={people.length > 8 ? css.list : undefined}>
          <PeopleTable
            people={people}
            onAct={onAct}
            onEnd={more}
            isPartial={list.hasNextPage}
            end={list.hasNextPage ? t('ui.users.more') : t('ui.users.last')}
          />
        </Panel>
      )}
    </>
  )
}

interface PersonDrawerProps {
  readonly opened: Opened | null
  /** As they are now: the opened one may have been changed. */
  readonly people: readonly Person[]
  readonly onInvited: (invited: InvitationReply) => void
  readonly onAsk: (question: PersonQuestion) => void
  readonly onDone: () => void
}

function PersonDrawer({ opened, people, onInvited, onAsk, onDone }: PersonDrawerProps) {
  const shown =
    opened && 'person' in opened
      ? (people.find(({ userId }) => userId === opened.person.userId) ?? opened.person)
      : null
  return (
    <FormDrawer
      opened={opened !== null}
      onClose={onDone}
      size={560}
      styles={NOTICE_CLEARANCE}
      title={shown ? nameOf(shown) : t('ui.users.form.addTitle')}
    >
      {shown && (
        <PersonDetails
          key={shown.userId}
          person={shown}
          onInvited={onInvited}
          onAsk={onAsk}
          onDone={onDone}
        />
      )}
      {opened && 'like' in opened && (
        <PersonForm person={null} like={opened.like} onInvited={onInvited} onDone={onDone} />
      )}
    </FormDrawer>
  )
}
