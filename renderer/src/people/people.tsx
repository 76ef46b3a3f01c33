import { Group, SegmentedControl } from '@mantine/core'
import { IconPlus, IconUsers } from '@tabler/icons-react'
import { useCallback, useRef, useState } from 'react'
import { dashboardPeople, PEOPLE_SHOWN, type Person } from '#shared/contract/dashboard-people.ts'
import { MayButton } from '../components/allowed.tsx'
import { FormDrawer } from '../components/form-drawer.tsx'
import { Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { NothingListed } from '../components/paged-table.tsx'
import { SearchField, useTypedSearch } from '../components/search-field.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { Notice } from '../components/tone.tsx'
import { showDone } from '../components/undo.tsx'
import { call, keyOf, usePages } from '../gateway.ts'
import { t, textsOf } from '../i18n/t.ts'
import { useShortcuts } from '../shell/shortcuts.ts'
import { AskPerson, type PersonQuestion } from './ask-person.tsx'
import { type Invited, usePersonChanges } from './changes.ts'
import { MailPanel } from './mail.tsx'
import { OpenedPerson } from './opened-person.tsx'
import css from './people.module.css'
import { PeopleTable } from './people-table.tsx'
import { PersonForm } from './person-form.tsx'
import { nameOf } from './person-values.ts'
import type { PersonAction } from './state.ts'

const PART = 100
/** What was done is said at the bottom: the last buttons can be scrolled above it. */
const ABOVE_NOTICES = { body: { paddingBottom: 80 } }
type Show = (typeof PEOPLE_SHOWN)[number]
type Opened = { readonly person: Person } | { readonly like: Person | null }

/**
 * Until the public URL is set, links lead to the PC they are opened on.
 */
const isLoopback = (link: string) => /^(127\.|localhost$|\[::1\]$)/.test(new URL(link).hostname)

/** Users and invited people, and how invitations are sent. */
export function People() {
  const { typed, setTyped, search } = useTypedSearch()
  const [show, setShow] = useState<Show>('all')
  const listed = usePeople(search, show)
  const [opened, setOpened] = useState<Opened | null>(null)
  const [asked, setAsked] = useState<PersonQuestion | null>(null)
  const [link, setLink] = useState<string | null>(null)
  const { renew, reactivate } = usePersonChanges()
  const box = useRef<HTMLInputElement>(null)
  const invite = () => setOpened({ like: null })
  useShortcuts(t('ui.people.title'), [
    { keys: '/', name: t('ui.people.search'), run: () => box.current?.select() },
    { keys: 'n', name: t('ui.people.invite'), run: invite },
  ])

  const tell = useCallback(({ person, link: made }: Invited) => {
    if (made === null) showDone(t('ui.people.invited', { email: person.email }))
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
      title={t('ui.people.title')}
      about={t('ui.people.about')}
      actions={
        <MayButton permission="manageUsers" leftSection={<IconPlus size={16} />} onClick={invite}>
          {t('ui.people.invite')}
        </MayButton>
      }
    >
      <Group gap={12}>
        <SegmentedControl
          size="xs"
          aria-label={t('ui.people.showLabel')}
          value={show}
          onChange={setShow}
          data={PEOPLE_SHOWN.map((value) => ({ value, label: t(`ui.people.shows.${value}`) }))}
        />
        <SearchField
          ref={box}
          className={css.search}
          label={t('ui.people.search')}
          placeholder={t('ui.people.searchWhat')}
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
      {asked && <AskPerson {...asked} onDone={() => setAsked(null)} />}
      <ShownOnce
        value={link}
        {...textsOf('ui.people.shown', 'title', 'about', 'done')}
        what={t('ui.people.theLink')}
        onClose={() => setLink(null)}
      >
        {link !== null && isLoopback(link) && (
          <Notice tone="warning">{t('ui.people.loopback')}</Notice>
        )}
      </ShownOnce>
    </Page>
  )
}

function usePeople(search: string, show: Show) {
  const query = { limit: PART, search, show }
  const { list, pages, more } = usePages(keyOf(dashboardPeople.people, query), (part, signal) =>
    call(dashboardPeople.people, { query: { ...query, ...part } }, signal),
  )
  return { list, people: pages.flatMap((page) => page.people), more }
}

interface PeopleListProps {
  readonly listed: ReturnType<typeof usePeople>
  readonly search: string
  readonly show: Show
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
      ? [t(`ui.people.none.${show}.label`), t(`ui.people.none.${show}.description`)]
      : [t('ui.people.noneFound'), t('ui.people.noneFoundText')]
  const isNarrowed = search !== '' || show !== 'all'
  return (
    <>
      {list.isPending && <Waiting rows={6} height={44} />}
      {list.isError && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && people.length === 0 && (
        <NothingListed
          icon={IconUsers}
          title={title}
          text={text}
          clear={isNarrowed ? { name: t('ui.people.clear'), run: onShowAll } : undefined}
        />
      )}
      {people.length > 0 && (
        <Panel isFlush className={people.length > 8 ? css.list : undefined}>
          <PeopleTable
            people={people}
            onAct={onAct}
            onEnd={more}
            end={list.hasNextPage ? t('ui.people.more') : t('ui.people.last')}
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
  readonly onInvited: (invited: Invited) => void
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
      styles={ABOVE_NOTICES}
      title={shown ? nameOf(shown) : t('ui.people.form.addTitle')}
    >
      {shown && (
        <OpenedPerson
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
