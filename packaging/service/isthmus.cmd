@echo off
rem Runs Isthmus by the Node of its own folder.
"%~dp0node.exe" "%~dp0..\dist\electron\headless.js" %*
