import { Button, Group, SegmentedControl, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconPlus, IconSearch, IconUsers } from '@tabler/icons-react'
import { useCallback, useRef, useState } from 'react'
import { dashboardPeople, PEOPLE_SHOWN, type Person } from '#shared/contract/dashboard-people.ts'
import { MayButton } from '../components/allowed.tsx'
import { FormDrawer } from '../components/form-drawer.tsx'
import { Empty, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { ShownOnce } from '../components/shown-once.tsx'
import { Notice } from '../components/tone.tsx'
import { showDone } from '../components/undo.tsx'
import { call, keyOf, usePages } from '../gateway.ts'
import { useShortcuts } from '../shell/shortcuts.ts'
import { AskPerson, type PersonQuestion } from './ask-person.tsx'
import { type Invited, usePersonChanges } from './changes.ts'
import { MailPanel } from './mail.tsx'
import { OpenedPerson } from './opened-person.tsx'
import css from './people.module.css'
import { PeopleTable } from './people-table.tsx'
import { nameOf, PersonForm } from './person-form.tsx'
import type { PersonAction } from './state.ts'
import { words } from './words.ts'

const PART = 100
/** What was done is said at the bottom: the last buttons can be scrolled above it. */
const ABOVE_NOTICES = { body: { paddingBottom: 80 } }
type Opened = { readonly person: Person } | { readonly like: Person | null }

/** Until the public URL is set, links lead to the PC they are opened on (interface-choices §6 row 54). */
const isLoopback = (link: string) => /^(127\.|localhost$|\[::1\]$)/.test(new URL(link).hostname)

/** Users and invited people, and how invitations are sent. */
export function People() {
  const [typed, setTyped] = useState('')
  const [search] = useDebouncedValue(typed.trim(), 250)
  const [show, setShow] = useState<(typeof PEOPLE_SHOWN)[number]>('all')
  const query = { limit: PART, search, show }
  const { list, pages, more } = usePages(keyOf(dashboardPeople.people, query), (part, signal) =>
    call(dashboardPeople.people, { query: { ...query, ...part } }, signal),
  )
  const people = pages.flatMap((page) => page.people)
  const [opened, setOpened] = useState<Opened | null>(null)
  const [asked, setAsked] = useState<PersonQuestion | null>(null)
  const [link, setLink] = useState<string | null>(null)
  const { renew, reactivate } = usePersonChanges()
  const box = useRef<HTMLInputElement>(null)
  useShortcuts(words.title, [
    { keys: '/', name: words.search, run: () => box.current?.select() },
    { keys: 'n', name: words.invite, run: () => setOpened({ like: null }) },
  ])

  const tell = useCallback(({ person, link: made }: Invited) => {
    if (made === null) showDone(words.invited(person.email))
    else setLink(made)
  }, [])
  function act(action: PersonAction, person: Person) {
    if (action === 'edit') setOpened({ person })
    else if (action === 'again') setOpened({ like: person })
    else if (action === 'link') renew(person, tell)
    else if (action === 'reactivate') reactivate(person)
    else setAsked({ kind: action, person })
  }
  const close = () => setOpened(null)
  const shown = opened && 'person' in opened ? (people.find(({ userId }) => userId === opened.person.userId) ?? opened.person) : null
  const isNarrowed = search !== '' || show !== 'all'

  return (
    <Page
      title={words.title}
      about={words.about}
      actions={
        <MayButton permission="manageUsers" leftSection={<IconPlus size={16} />} onClick={() => setOpened({ like: null })}>
          {words.invite}
        </MayButton>
      }
    >
      <Group gap={12}>
        <SegmentedControl
          size="xs"
          aria-label={words.showLabel}
          value={show}
          onChange={setShow}
          data={PEOPLE_SHOWN.map((value) => ({ value, label: words.shows[value] }))}
        />
        <TextInput
          ref={box}
          type="search"
          className={css.search}
          aria-label={words.search}
          placeholder={words.searchWhat}
          maxLength={100}
          leftSection={<IconSearch size={16} />}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      </Group>
      {list.isPending && <Waiting rows={6} height={44} />}
      {list.isError && <Failed error={list.error} onRetry={() => void list.refetch()} />}
      {list.isSuccess && people.length === 0 && (
        <Panel>
          <Empty
            icon={<IconUsers size={34} stroke={1.3} />}
            title={search === '' ? words.none[show][0] : words.noneFound}
            action={
              isNarrowed && (
                <Button
                  variant="default"
                  onClick={() => {
                    setTyped('')
                    setShow('all')
                  }}
                >
                  {words.clear}
                </Button>
              )
            }
          >
            {search === '' ? words.none[show][1] : words.noneFoundText}
          </Empty>
        </Panel>
      )}
      {people.length > 0 && (
        <Panel isFlush className={people.length > 8 ? css.list : undefined}>
          <PeopleTable people={people} onAct={act} onEnd={more} end={list.hasNextPage ? words.more : words.last} />
        </Panel>
      )}
      <MailPanel />
      <FormDrawer
        opened={opened !== null}
        onClose={close}
        size={560}
        styles={ABOVE_NOTICES}
        title={shown ? nameOf(shown) : words.form.addTitle}
      >
        {shown && <OpenedPerson key={shown.userId} person={shown} onInvited={tell} onAsk={setAsked} onDone={close} />}
        {opened && 'like' in opened && <PersonForm person={null} like={opened.like} onInvited={tell} onDone={close} />}
      </FormDrawer>
      {asked && <AskPerson {...asked} onDone={() => setAsked(null)} />}
      <ShownOnce value={link} {...words.shown} what={words.theLink} onClose={() => setLink(null)}>
        {link !== null && isLoopback(link) && <Notice tone="warning">{words.loopback}</Notice>}
      </ShownOnce>
    </Page>
  )
}
