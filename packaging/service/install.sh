#!/bin/sh
# Installs this version of Isthmus as a systemd service, or puts it in the place of an earlier one; as root, from its own folder.
#   ./install.sh              with a backup before the update; the service is started
#   ./install.sh --no-start   only the files
#   ./install.sh --no-backup  where the version that runs cannot make a backup any more
# ISTHMUS_ROOT=/somewhere puts everything below that folder and calls no systemctl: for images and for tests.
set -eu

say() { printf '%s\n' "$*"; }
stop() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }

start=yes
backup=yes
for option in "$@"; do
  case $option in
  --no-start) start=no ;;
  --no-backup) backup=no ;;
  *) stop "there is no option $option" ;;
  esac
done

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
name=${here##*/}
base=${ISTHMUS_ROOT:-}
[ -x "$here/bin/node" ] || stop "bin/node is not beside this script: unpack the whole archive."
"$here/bin/node" --version >/dev/null 2>&1 || stop "bin/node does not run here: this archive is for another system ($name)."
[ -n "$base" ] || [ "$(id -u)" = 0 ] || stop "only root can install a service."
[ -n "$base" ] || [ -d /run/systemd/system ] || stop "systemd does not run here; README.md says how to start Isthmus otherwise."

systemd() { [ -n "$base" ] || systemctl "$@"; }
running() { [ -z "$base" ] && systemctl is-active --quiet isthmus; }

if [ -z "$base" ] && ! id isthmus >/dev/null 2>&1; then
  useradd --system --user-group --home-dir /var/lib/isthmus --no-create-home --shell /usr/sbin/nologin isthmus
fi

# 1. The new version, beside the old one.
versions=$base/opt
mkdir -p "$versions" "$base/etc/isthmus" "$base/etc/systemd/system" "$base/usr/local/bin"
if [ "$here" != "$versions/$name" ]; then
  rm -rf "$versions/$name.part"
  cp -R "$here" "$versions/$name.part"
  [ -n "$base" ] || chown -R root:root "$versions/$name.part"
  chmod -R u+rwX,go+rX,go-w "$versions/$name.part"
  rm -rf "$versions/$name"
  mv "$versions/$name.part" "$versions/$name"
fi

# 2. A backup, and no device is cut off.
if running && [ "$backup" = yes ]; then
  runuser -u isthmus -- /opt/isthmus/bin/isthmus prepare-update --data /var/lib/isthmus ||
    stop "the update was called off and the service goes on as it was. --no-backup goes on without a backup."
fi
systemd stop isthmus 2>/dev/null || true

# 3. The new version takes its place; the old one stays until somebody removes it.
ln -sfn "$name" "$versions/isthmus.next"
mv -T "$versions/isthmus.next" "$versions/isthmus"
[ -e "$base/etc/isthmus/isthmus.env" ] || install -m 0644 "$here/isthmus.env" "$base/etc/isthmus/isthmus.env"
install -m 0644 "$here/isthmus.service" "$base/etc/systemd/system/isthmus.service"
printf '#!/bin/sh\nexec /opt/isthmus/bin/isthmus "$@"\n' >"$base/usr/local/bin/isthmus"
chmod 0755 "$base/usr/local/bin/isthmus"
systemd daemon-reload
systemd enable --quiet isthmus
[ "$start" = no ] || systemd restart isthmus

say "Isthmus ($name) is in /opt/isthmus; its data is in /var/lib/isthmus, its options in /etc/isthmus/isthmus.env."
if [ "$start" = yes ] && [ -z "$base" ]; then
  say "A link to sign in by the first time, for 15 minutes:"
  say "  runuser -u isthmus -- isthmus sign-in-link --data /var/lib/isthmus"
  say "What it still lacks: runuser -u isthmus -- isthmus doctor --data /var/lib/isthmus"
fi
