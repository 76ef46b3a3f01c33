# Windows: the doors devices come in by, and links that begin with isthmus://. Both go when the program is removed; data stays.
# The ports are those SETTINGS begins with (shared/contract/settings.ts); for others see docs/INSTALL.md.

!macro isthmusForgetFirewall
  nsExec::Exec '"$SYSDIR\netsh.exe" advfirewall firewall delete rule name="Isthmus DICOM (TCP 11112)"'
  Pop $0
  nsExec::Exec '"$SYSDIR\netsh.exe" advfirewall firewall delete rule name="Isthmus DICOM TLS (TCP 2762)"'
  Pop $0
!macroend

!macro customInstall
  # An update comes here, too: a rule is added once.
  !insertmacro isthmusForgetFirewall
  nsExec::ExecToLog '"$SYSDIR\netsh.exe" advfirewall firewall add rule name="Isthmus DICOM (TCP 11112)" description="Imaging devices ask Isthmus for worklists and send images" dir=in action=allow protocol=TCP localport=11112 program="$INSTDIR\${APP_EXECUTABLE_FILENAME}" profile=domain,private'
  Pop $0
  ${if} $0 != 0
    DetailPrint "The firewall took no rule for port 11112: add it by hand, or devices cannot connect."
  ${endIf}
  nsExec::ExecToLog '"$SYSDIR\netsh.exe" advfirewall firewall add rule name="Isthmus DICOM TLS (TCP 2762)" description="Imaging devices by DICOM TLS" dir=in action=allow protocol=TCP localport=2762 program="$INSTDIR\${APP_EXECUTABLE_FILENAME}" profile=domain,private'
  Pop $0
  ${if} $0 != 0
    DetailPrint "The firewall took no rule for port 2762: add it by hand, or devices cannot connect by TLS."
  ${endIf}

  WriteRegStr SHELL_CONTEXT "Software\Classes\isthmus" "" "URL:Isthmus"
  WriteRegStr SHELL_CONTEXT "Software\Classes\isthmus" "URL Protocol" ""
  WriteRegStr SHELL_CONTEXT "Software\Classes\isthmus\DefaultIcon" "" "$INSTDIR\${APP_EXECUTABLE_FILENAME},0"
  WriteRegStr SHELL_CONTEXT "Software\Classes\isthmus\shell\open\command" "" '"$INSTDIR\${APP_EXECUTABLE_FILENAME}" "%1"'
!macroend

!macro customUnInstall
  !insertmacro isthmusForgetFirewall
  DeleteRegKey SHELL_CONTEXT "Software\Classes\isthmus"
!macroend
