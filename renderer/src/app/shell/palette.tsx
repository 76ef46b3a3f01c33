import '@mantine/spotlight/styles.css'
import { Loader, VisuallyHidden } from '@mantine/core'
import { createSpotlight, Spotlight, useSpotlight } from '@mantine/spotlight'
import {
  IconArrowRight,
  IconBolt,
  IconDeviceDesktopAnalytics,
  IconFileDescription,
  IconHistory,
  IconLink,
  IconLock,
  IconSearch,
  IconUser,
  type Icon as TablerIcon,
} from '@tabler/icons-react'
import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { mayManage, type Session } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { KeyNames } from '../../ui/key-names.tsx'
import { shortcutGroups } from '../../ui/shortcuts.ts'
import css from './palette.module.css'
import {
  actionsFor,
  linksFor,
  type PaletteGroup,
  type PaletteItem,
  screensFor,
} from './palette-items.ts'
import { recentChoices, rememberChoice } from './recent.ts'
import { isForManagers } from './screens.ts'
import { usePaletteSearch } from './use-found.ts'

const [store, palette] = createSpotlight()
const ICONS: Readonly<Record<PaletteGroup, TablerIcon>> = {
  recent: IconHistory,
  links: IconLink,
  actions: IconBolt,
  screens: IconArrowRight,
  studies: IconFileDescription,
  people: IconUser,
  devices: IconDeviceDesktopAnalytics,
}
const PAGE_STEPS: Readonly<Record<string, number>> = { PageDown: 8, PageUp: -8 }

/**
 * One field for everything: screens, what the present screen can do, studies, people, devices, ids.
 * The registry of shortcuts opens it, so Spotlight has no shortcut of its own.
 */
export function Palette({
  session,
  opened,
  onClose,
}: {
  session: Session
  opened: boolean
  onClose: () => void
}) {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => (opened ? palette.open() : palette.close()), [opened])
  // Spotlight selects none at first, and focuses the field so late that a letter typed at once
  // would go to the screen behind.
  const begin = () => {
    select(0)
    field.current?.focus()
  }
  return (
    <Spotlight.Root
      store={store}
      shortcut={null}
      onSpotlightOpen={begin}
      onSpotlightClose={onClose}
      size={680}
      yOffset="10vh"
      centered={false}
      radius="lg"
      overlayProps={{ backgroundOpacity: 0.4 }}
      transitionProps={{ duration: 0 }}
      attributes={{ content: { 'aria-label': t('ui.shell.palette.label') } }}
      classNames={css}
    >
      <PaletteContents session={session} field={field} />
    </Spotlight.Root>
  )
}

const select = (selected: number) => store.setState({ ...store.getState(), selected })

/** What is in the palette while it is open; gone when it closes, as it may name patients. */
function PaletteContents({
  session,
  field,
}: {
  session: Session
  field: RefObject<HTMLInputElement | null>
}) {
  const { query, selected } = useSpotlight(store)
  const id = useId()
  const router = useRouter()
  const isManager = mayManage(session.user)
  // As they were when it was opened.
  const [groups] = useState(shortcutGroups)
  const found = usePaletteSearch(query, session.user)
  const text = query.trim()
  const items: readonly PaletteItem[] =
    text === ''
      ? [...recentItems(), ...actionsFor('', groups), ...screensFor('')]
      : [
          ...linksFor(text, window.location.origin),
          ...screensFor(text),
          ...actionsFor(text, groups),
          ...found.items,
        ]
  const selectedIndex = Math.min(Math.max(0, selected), items.length - 1)
  const choose = (item: PaletteItem) => {
    if (item.href !== undefined) {
      if (item.group !== 'recent')
        rememberChoice({ href: item.href, name: item.name, about: item.about })
      router.history.push(item.href)
    }
    // Once the palette is gone: what runs may open a dialog or take the focus.
    if (item.run) setTimeout(item.run, 0)
  }
  const step = ({ key }: KeyboardEvent) => {
    const by = PAGE_STEPS[key]
    if (by !== undefined) {
      const next = Math.min(items.length - 1, Math.max(0, selectedIndex + by))
      select(next)
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: 'nearest' })
    }
    // Spotlight moves the selection by arrows without a notice to those who read its store.
    queueMicrotask(() => store.setState({ ...store.getState() }))
  }
  const isNone = items.length === 0
  return (
    <>
      <Spotlight.Search
        ref={field}
        leftSection={<IconSearch size={19} stroke={1.7} aria-hidden />}
        rightSection={found.isSearching ? <Loader size="xs" /> : null}
        placeholder={t('ui.shell.palette.placeholder')}
        aria-label={t('ui.shell.palette.label')}
        role="combobox"
        aria-expanded={!isNone}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        {...(!isNone && { 'aria-activedescendant': `${id}-${selectedIndex}` })}
        autoComplete="off"
        spellCheck={false}
        onKeyDown={step}
      />
      <Spotlight.ActionsList
        id={`${id}-list`}
        role="listbox"
        aria-label={t('ui.shell.palette.label')}
      >
        {[...Map.groupBy(items, ({ group }) => group)].map(([group, members]) => (
          <Spotlight.ActionsGroup
            key={group}
            role="group"
            aria-label={t(`ui.shell.palette.${group}`)}
            label={t(`ui.shell.palette.${group}`)}
          >
            {members.map((item) => {
              const index = items.indexOf(item)
              const isLocked = !isManager && item.href !== undefined && isForManagers(item.href)
              const Icon = isLocked ? IconLock : ICONS[group]
              return (
                <Spotlight.Action
                  key={item.id}
                  // Spotlight drops an `id` that is given as a property.
                  renderRoot={(props) => <button type="button" {...props} id={`${id}-${index}`} />}
                  role="option"
                  aria-selected={index === selectedIndex}
                  data-selected={index === selectedIndex || undefined}
                  leftSection={<Icon size={17} stroke={1.7} aria-hidden />}
                  label={item.name}
                  description={isLocked ? t('ui.shell.lockedFor') : item.about}
                  rightSection={item.keys !== undefined && <KeyNames keys={item.keys} />}
                  onMouseMove={() => select(index)}
                  onClick={() => choose(item)}
                />
              )
            })}
          </Spotlight.ActionsGroup>
        ))}
      </Spotlight.ActionsList>
      {isNone && !found.isSearching && (
        <Spotlight.Empty>
          <b>{t('ui.shell.palette.none')}</b>
          {t('ui.shell.palette.noneText')}
        </Spotlight.Empty>
      )}
      {found.hasFailed && <Spotlight.Empty>{t('ui.shell.palette.failed')}</Spotlight.Empty>}
      <VisuallyHidden role="status">
        {found.isSearching
          ? t('ui.shell.palette.searching')
          : isNone
            ? t('ui.shell.palette.none')
            : ''}
      </VisuallyHidden>
      <Spotlight.Footer className={css.footer ?? ''} aria-hidden>
        <KeyNames keys="arrowup" /> <KeyNames keys="arrowdown" /> {t('ui.shell.palette.foot.0')}
        <KeyNames keys="enter" /> {t('ui.shell.palette.foot.1')}
        <KeyNames keys="escape" /> {t('ui.shell.palette.foot.2')}
      </Spotlight.Footer>
    </>
  )
}

const recentItems = (): readonly PaletteItem[] =>
  recentChoices().map((recent) => ({ id: `recent ${recent.href}`, group: 'recent', ...recent }))
