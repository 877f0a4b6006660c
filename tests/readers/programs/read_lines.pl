# Read one JSON object from each line with JSON::PP, and print them as an array.
use strict;
use warnings FATAL => "all";
use JSON::PP;
open(my $file, "<:raw", $ARGV[0]) or die $!;
my $json = JSON::PP->new->utf8->canonical;
my @rows = map { $json->decode($_) } <$file>;
print $json->encode(\@rows);
