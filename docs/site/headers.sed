# Marks the comments of the C headers for Doxygen. The comment at the top of a header stays plain: scripts/docs prints it verbatim.
s|^\([[:space:]]*\)/\* |\1/** |
0,/^\/\*$/!s|^/\*$|/**|
s|\([;,]\)\([[:space:]]*\)/\* |\1\2/**< |
/^ *\*/s|\\|\\\\|g
