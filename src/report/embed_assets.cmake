# Writes OUTPUT, a C++ source that holds the text of every file of ASSETS and its SHA-256:
# cmake -DOUTPUT=... -DASSETS="a;b" -P embed_assets.cmake
set(source "#include \"rgu/report/assets.hpp\"\n\nnamespace rgu::report {\n")
foreach(asset IN LISTS ASSETS)
  get_filename_component(name ${asset} NAME)
  string(MAKE_C_IDENTIFIER ${name} identifier)
  string(TOLOWER ${identifier} identifier)
  file(READ ${asset} text)
  file(SHA256 ${asset} hash)
  string(APPEND source "\nconst Asset& ${identifier}() {\n  static constexpr Asset kAsset = {R\"rgu_asset(${text})rgu_asset\",\n    \"${hash}\"};\n  return kAsset;\n}\n")
endforeach()
string(APPEND source "\n}  // namespace rgu::report\n")
file(WRITE ${OUTPUT} "${source}")
